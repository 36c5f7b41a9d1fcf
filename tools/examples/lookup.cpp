// lookup.cpp - an example: asks from C++ what is known of a transpose. No GPU, no CUDA.
//
//     c++ -std=c++17 lookup.cpp $(pkg-config --cflags --libs autotune) -o lookup
#include <autotune/autotune.h>

#include <cstdio>
#include <memory>

int main()
{
    at_error err{};
    at_tuner *opened = nullptr;
    if (at_open(&opened, nullptr, &err) != AT_OK) {
        std::fprintf(stderr, "lookup: %s\n", err.text);
        return 1;
    }
    std::unique_ptr<at_tuner, decltype(&at_close)> tuner(opened, at_close);

    at_problem problem = AT_PROBLEM_INIT;
    if (at_problem_parse(&problem, tuner.get(), "transpose 4096x4096 f32", &err) != AT_OK) {
        std::fprintf(stderr, "lookup: %s\n", err.text);
        return 1;
    }
    at_found *answer = nullptr;
    if (at_find(&answer, tuner.get(), &problem, nullptr, &err) != AT_OK) {
        std::fprintf(stderr, "lookup: %s\n", err.text);
        return 1;
    }
    std::unique_ptr<at_found, decltype(&at_found_close)> found(answer, at_found_close);
    std::printf("%s %s: %s, %s %s\n", found->op, found->shape, at_match_name(found->match),
                found->template_name ? found->template_name : "no template", found->config);
}
