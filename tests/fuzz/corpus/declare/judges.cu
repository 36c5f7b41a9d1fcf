/*!autotune
op        judges
shape     n
type      T = storage
arg       y T[n] output
arg       z T[n] inout
arg       x T[n] input
check     by all_of
check     z by one_of
reference judges_reference
grid      1
block     32
traffic   n
*/
void judges_reference() {}
void all_of() {}
void one_of() {}
