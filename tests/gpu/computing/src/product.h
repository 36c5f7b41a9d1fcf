#pragma once
#define AT_ROW(row, length) ((long long)(row) * (length))
