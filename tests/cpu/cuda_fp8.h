/* Rendered texts include it within a namespace; its types are in shim_numbers.h. */
