/*!autotune
common    layout                       # dimensions of layouts and of tiles, as numbers that the compiler knows
*/

#ifndef AUTOTUNE_RENDERED /* included by a template in an editor, or by nvcc alone */
#pragma once
#endif

/* A number for each dimension: extents, or strides. */
template <long long... numbers> struct Numbers {
    static constexpr int count = sizeof...(numbers);

    __device__ static constexpr long long at(int i)
    {
        const long long all[] = { numbers... };
        return all[i];
    }

    __device__ static constexpr long long product()
    {
        return (numbers * ... * 1);
    }

    /* The dimension with so many smaller numbers; of equal ones the last counts as the smallest. */
    __device__ static constexpr int ranked(int rank)
    {
        for (int i = 0; i < count; i++) {
            int smaller = 0;
            for (int k = 0; k < count; k++)
                smaller += at(k) < at(i) || (at(k) == at(i) && k > i);
            if (smaller == rank)
                return i;
        }
        return 0;
    }
};

/* Of the dimensions from this rank on: how many elements a box of these extents has. */
template <class Order, class Extents> __device__ constexpr long long slower(int rank)
{
    long long elements = 1;
    for (; rank < Extents::count; rank++)
        elements *= Extents::at(Order::ranked(rank));
    return elements;
}

/* How far apart neighbours along dimension d are where a box lies densely, in this order. */
template <class Order, class Extents> __device__ constexpr int step(int d)
{
    int elements = 1;
    for (int rank = 0; Order::ranked(rank) != d; rank++)
        elements *= (int)Extents::at(Order::ranked(rank));
    return elements;
}

/*
 * Element k of a box of these extents, counted along the dimension with the smallest number of Order first: calls
 * each.along<d>(coordinate) for every dimension that the box has more than one of. Divisions are by constants.
 */
template <class Order, class Extents, int rank = 0, class Index, class Each>
__device__ __forceinline__ void walk(Index k, Each &each)
{
    if constexpr (rank < Extents::count) {
        constexpr int d = Order::ranked(rank);
        constexpr Index extent = (Index)Extents::at(d);
        if constexpr (extent == 1) {
            walk<Order, Extents, rank + 1>(k, each);
        } else if constexpr (slower<Order, Extents>(rank + 1) == 1) {
            each.template along<d>(k);
        } else {
            each.template along<d>(k % extent);
            walk<Order, Extents, rank + 1>(k / extent, each);
        }
    }
}

/* How many tiles there are along each dimension. */
template <class Extents, class Tile> struct TilesOf;
template <long long... n, long long... t> struct TilesOf<Numbers<n...>, Numbers<t...>> {
    using Counts = Numbers<((n + t - 1) / t)...>;
};

/* A tile's first element in both layouts, and how many of each dimension there are, where not always all. */
template <class Extents, class Tile, class In, class Out> struct TilePlace {
    long long in = 0, out = 0;
    int       left[Extents::count];

    template <int d> __device__ __forceinline__ void along(unsigned c)
    {
        constexpr long long n = Extents::at(d), t = Tile::at(d);
        in += c * (t * In::at(d));
        out += c * (t * Out::at(d));
        if constexpr (n % t != 0)
            left[d] = (int)(n - c * t < t ? n - c * t : t);
    }

    /* Whether the tile has this element along d. */
    template <int d> __device__ __forceinline__ bool has(int c) const
    {
        if constexpr (Extents::at(d) % Tile::at(d) != 0)
            return c < left[d];
        return true;
    }
};

/* The tile of a block, where blocks follow this order. */
template <class Order, class Extents, class Tile, class In, class Out>
__device__ __forceinline__ TilePlace<Extents, Tile, In, Out> place_of_tile(unsigned block)
{
    TilePlace<Extents, Tile, In, Out> place;
    walk<Order, typename TilesOf<Extents, Tile>::Counts>(block, place);
    return place;
}

/* Where along each dimension that has more than one of something. */
struct Coordinates {
    unsigned at[8] = {};

    template <int d> __device__ __forceinline__ void along(unsigned c)
    {
        at[d] = c;
    }
};

/* The place of a member of a group; false: the group has more room than there are tiles. */
template <class Counts, class Group, int d = 0, class Place>
__device__ __forceinline__ bool place_member(Place &place, const Coordinates &group, const Coordinates &member)
{
    if constexpr (d < Counts::count) {
        constexpr unsigned tiles = (unsigned)Counts::at(d), together = (unsigned)Group::at(d);
        if constexpr (tiles > 1) {
            const unsigned c = group.at[d] * together + member.at[d];
            if (tiles % together != 0 && c >= tiles)
                return false;
            place.template along<d>(c);
        }
        return place_member<Counts, Group, d + 1>(place, group, member);
    } else {
        return true;
    }
}

/*
 * The tile of a block, where blocks fill groups of so many tiles along each dimension, one after the other, in the order
 * Within, and groups follow Order. false: this block has none.
 */
template <class Order, class Within, class Group, class Extents, class Tile, class In, class Out>
__device__ __forceinline__ bool place_in_group(TilePlace<Extents, Tile, In, Out> &place, unsigned block)
{
    using Counts = typename TilesOf<Extents, Tile>::Counts;
    constexpr unsigned members = (unsigned)Group::product();
    Coordinates group, member;
    walk<Order, typename TilesOf<Counts, Group>::Counts>(block / members, group);
    walk<Within, Group>(block % members, member);
    return place_member<Counts, Group>(place, group, member);
}

/* Which dimensions come first: those that are fast in the input (0), in the output (1), in either (2), or in both (3). */
template <int which, class In, class Out> struct OrderOf;
template <class In, class Out> struct OrderOf<0, In, Out> { using type = In; };
template <class In, class Out> struct OrderOf<1, In, Out> { using type = Out; };
template <long long... i, long long... o> struct OrderOf<2, Numbers<i...>, Numbers<o...>> { using type = Numbers<(i < o ? i : o)...>; };
template <long long... i, long long... o> struct OrderOf<3, Numbers<i...>, Numbers<o...>> { using type = Numbers<(i > o ? i : o)...>; };
