/* How far behind an aligned place a buffer begins: aligned as the problem says, and no better. */
static size_t autotune_skew(int buffer)
{
    return autotune_buffers[buffer].align < 256 ? autotune_buffers[buffer].align : 0;
}

static void autotune_allocate(std::vector<void *> &buffers, unsigned long long seed)
{
    for (int i = 0; i < autotune_buffer_count; i++) {
        void *memory = nullptr;
        autotune_must(cudaMalloc(&memory, autotune_buffers[i].bytes + autotune_skew(i)), "cudaMalloc");
        memory = (char *)memory + autotune_skew(i);
        autotune_fill_buffer(i, memory, seed + i, nullptr);
        buffers.push_back(memory);
    }
}

static bool autotune_self_test()
{
    std::vector<void *> got, expected;
    bool right = true;
    autotune_allocate(got, 1);
    autotune_allocate(expected, 1);
    for (int i = 0; i < autotune_buffer_count; i++)
        if (autotune_buffers[i].output && !autotune_is_restored(i)) /* what is never written cannot be right */
            autotune_fill_buffer(i, got[i], 99, nullptr);
    autotune_must(autotune_launch(got.data(), nullptr), "launch");
    autotune_reference(expected.data());
    autotune_must(cudaGetLastError(), "launch of the reference");
    autotune_must(cudaDeviceSynchronize(), "kernel");
    for (int i = 0; i < autotune_buffer_count; i++) {
        if (autotune_buffers[i].input || autotune_buffers[i].output) /* not what is the kernel's alone */
            right = autotune_is_right(i, got[i], expected[i]) && right;
    }
    for (int i = 0; i < autotune_buffer_count; i++) {
        cudaFree((char *)got[i] - autotune_skew(i));
        cudaFree((char *)expected[i] - autotune_skew(i));
    }
    return right;
}

/* What a launch changes and wants as it was, in the sets that the next batch runs on. */
static void autotune_restore(const std::vector<std::vector<void *>> &sets, size_t batch, cudaStream_t stream)
{
    for (size_t s = 0; s < sets.size() && s < batch; s++)
        for (int i = 0; i < autotune_buffer_count; i++)
            if (autotune_is_restored(i))
                autotune_fill_buffer(i, sets[s][i], 7 * s + i, stream);
}

static bool autotune_restores()
{
    bool any = false;
    for (int i = 0; i < autotune_buffer_count; i++)
        any = any || autotune_is_restored(i);
    return any;
}

/* Median of one launch, in us: batches of launches between events, over as many buffers as 64 L2 caches take, or a quarter of the memory. */
static double autotune_benchmark()
{
    cudaDeviceProp device;
    size_t set_bytes = 0;
    std::vector<std::vector<void *>> sets;
    std::vector<double> samples;
    cudaEvent_t start, stop;
    cudaStream_t stream;
    autotune_must(cudaGetDeviceProperties(&device, 0), "cudaGetDeviceProperties");
    for (const auto &buffer : autotune_buffers)
        set_bytes += buffer.bytes;
    size_t free_bytes = 0, all_bytes = 0, count = 1, fewest = 1;
    autotune_must(cudaMemGetInfo(&free_bytes, &all_bytes), "cudaMemGetInfo");
    if (autotune_cold) {
        fewest = std::min<size_t>(1024, 3 * (size_t)device.l2CacheSize / set_bytes + 1);
        count = std::min(64 * (size_t)device.l2CacheSize / set_bytes + 1, free_bytes / 4 / set_bytes);
        count = std::min<size_t>(1024, std::max(fewest, count));
    }
    for (size_t i = 0; i < count; i++) {
        sets.emplace_back();
        autotune_allocate(sets.back(), 7 * i);
    }
    autotune_must(cudaStreamCreate(&stream), "cudaStreamCreate");
    autotune_must(cudaEventCreate(&start), "cudaEventCreate");
    autotune_must(cudaEventCreate(&stop), "cudaEventCreate");
    autotune_must(cudaDeviceSynchronize(), "fill");

    /* Variables are filled once: the time of that is not the kernel's. */
    autotune_must(autotune_launch(sets[0].data(), stream), "launch");
    size_t next = 0;
    const double about_us = autotune_stored_us > 0 ? autotune_stored_us : 1e-6 * autotune_traffic_bytes; /* 1 TB/s */
    const int launches = (int)std::max(1.0, 1000.0 / std::max(1.0, about_us));
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    autotune_must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "capture");
    const size_t batch = autotune_restores() ? std::min(count, std::max((size_t)launches, fewest)) : std::max((size_t)launches, fewest);
    for (size_t i = 0; i < batch; i++)
        autotune_must(autotune_launch(sets[next++ % count].data(), stream, false), "launch");
    autotune_must(cudaStreamEndCapture(stream, &graph), "capture");
    autotune_must(cudaGraphInstantiate(&exec, graph, 0), "graph");
    for (int i = 0; i < 130; i++) { /* the first hundred bring the clocks up */
        float ms = 0;
        autotune_restore(sets, batch, stream);
        autotune_must(cudaEventRecord(start, stream), "event");
        autotune_must(cudaGraphLaunch(exec, stream), "graph");
        autotune_must(cudaEventRecord(stop, stream), "event");
        autotune_must(cudaEventSynchronize(stop), "kernel");
        autotune_must(cudaEventElapsedTime(&ms, start, stop), "event");
        if (i >= 100)
            samples.push_back(1e3 * ms / (double)batch);
    }
    std::sort(samples.begin(), samples.end());
    return samples[samples.size() / 2];
}

int main()
{
    const bool right = autotune_self_test();
    std::printf("self-test: %s\n", right ? "every output is right" : "WRONG");
    if (!right)
        return 1;
    const double us = autotune_benchmark();
    std::printf("measured: %.2f us, %.0f GB/s", us, 1e-3 * autotune_traffic_bytes / us);
    if (autotune_stored_us > 0)
        std::printf("; %s: %.2f us, %.0f GB/s; ratio %.3f", autotune_stored, autotune_stored_us,
                    1e-3 * autotune_traffic_bytes / autotune_stored_us, us / autotune_stored_us);
    std::printf("\n");
    return 0;
}
