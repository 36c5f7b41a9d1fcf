"""What tools/compare is made of. Without a GPU: problems, race, results, plot. With one: device, peers, blas, tensors, tiles."""
