/* haft/declare_each.h - a macro for each of up to 64 things: what haft/declare_macros.h counts by.  Not for use. */
#ifndef HAFT_DECLARE_EACH_H
#define HAFT_DECLARE_EACH_H

/* ---- HAFT_EACH_(F, ctx, a, b, ...) is F(ctx, a) F(ctx, b) ..., for 1 to 64 of them ---- */
#define HAFT_EACH_(F, ctx, ...) \
    HAFT_PICK_(__VA_ARGS__, \
               HAFT_E64_, HAFT_E63_, HAFT_E62_, HAFT_E61_, HAFT_E60_, HAFT_E59_, HAFT_E58_, \
               HAFT_E57_, HAFT_E56_, HAFT_E55_, HAFT_E54_, HAFT_E53_, HAFT_E52_, HAFT_E51_, \
               HAFT_E50_, HAFT_E49_, HAFT_E48_, HAFT_E47_, HAFT_E46_, HAFT_E45_, HAFT_E44_, \
               HAFT_E43_, HAFT_E42_, HAFT_E41_, HAFT_E40_, HAFT_E39_, HAFT_E38_, HAFT_E37_, \
               HAFT_E36_, HAFT_E35_, HAFT_E34_, HAFT_E33_, HAFT_E32_, HAFT_E31_, HAFT_E30_, \
               HAFT_E29_, HAFT_E28_, HAFT_E27_, HAFT_E26_, HAFT_E25_, HAFT_E24_, HAFT_E23_, \
               HAFT_E22_, HAFT_E21_, HAFT_E20_, HAFT_E19_, HAFT_E18_, HAFT_E17_, HAFT_E16_, \
               HAFT_E15_, HAFT_E14_, HAFT_E13_, HAFT_E12_, HAFT_E11_, HAFT_E10_, HAFT_E9_, \
               HAFT_E8_, HAFT_E7_, HAFT_E6_, HAFT_E5_, HAFT_E4_, HAFT_E3_, HAFT_E2_, HAFT_E1_, 0)(F, ctx, __VA_ARGS__)
#define HAFT_PICK_( \
    _1, _2, _3, _4, _5, _6, _7, _8, _9, _10, _11, _12, _13, _14, _15, _16, _17, _18, _19, _20, \
    _21, _22, _23, _24, _25, _26, _27, _28, _29, _30, _31, _32, _33, _34, _35, _36, _37, _38, \
    _39, _40, _41, _42, _43, _44, _45, _46, _47, _48, _49, _50, _51, _52, _53, _54, _55, _56, \
    _57, _58, _59, _60, _61, _62, _63, _64, N, ...) N
#define HAFT_E1_(F, c, a) F(c, a)
#define HAFT_E2_(F, c, a, ...) F(c, a) HAFT_E1_(F, c, __VA_ARGS__)
#define HAFT_E3_(F, c, a, ...) F(c, a) HAFT_E2_(F, c, __VA_ARGS__)
#define HAFT_E4_(F, c, a, ...) F(c, a) HAFT_E3_(F, c, __VA_ARGS__)
#define HAFT_E5_(F, c, a, ...) F(c, a) HAFT_E4_(F, c, __VA_ARGS__)
#define HAFT_E6_(F, c, a, ...) F(c, a) HAFT_E5_(F, c, __VA_ARGS__)
#define HAFT_E7_(F, c, a, ...) F(c, a) HAFT_E6_(F, c, __VA_ARGS__)
#define HAFT_E8_(F, c, a, ...) F(c, a) HAFT_E7_(F, c, __VA_ARGS__)
#define HAFT_E9_(F, c, a, ...) F(c, a) HAFT_E8_(F, c, __VA_ARGS__)
#define HAFT_E10_(F, c, a, ...) F(c, a) HAFT_E9_(F, c, __VA_ARGS__)
#define HAFT_E11_(F, c, a, ...) F(c, a) HAFT_E10_(F, c, __VA_ARGS__)
#define HAFT_E12_(F, c, a, ...) F(c, a) HAFT_E11_(F, c, __VA_ARGS__)
#define HAFT_E13_(F, c, a, ...) F(c, a) HAFT_E12_(F, c, __VA_ARGS__)
#define HAFT_E14_(F, c, a, ...) F(c, a) HAFT_E13_(F, c, __VA_ARGS__)
#define HAFT_E15_(F, c, a, ...) F(c, a) HAFT_E14_(F, c, __VA_ARGS__)
#define HAFT_E16_(F, c, a, ...) F(c, a) HAFT_E15_(F, c, __VA_ARGS__)
#define HAFT_E17_(F, c, a, ...) F(c, a) HAFT_E16_(F, c, __VA_ARGS__)
#define HAFT_E18_(F, c, a, ...) F(c, a) HAFT_E17_(F, c, __VA_ARGS__)
#define HAFT_E19_(F, c, a, ...) F(c, a) HAFT_E18_(F, c, __VA_ARGS__)
#define HAFT_E20_(F, c, a, ...) F(c, a) HAFT_E19_(F, c, __VA_ARGS__)
#define HAFT_E21_(F, c, a, ...) F(c, a) HAFT_E20_(F, c, __VA_ARGS__)
#define HAFT_E22_(F, c, a, ...) F(c, a) HAFT_E21_(F, c, __VA_ARGS__)
#define HAFT_E23_(F, c, a, ...) F(c, a) HAFT_E22_(F, c, __VA_ARGS__)
#define HAFT_E24_(F, c, a, ...) F(c, a) HAFT_E23_(F, c, __VA_ARGS__)
#define HAFT_E25_(F, c, a, ...) F(c, a) HAFT_E24_(F, c, __VA_ARGS__)
#define HAFT_E26_(F, c, a, ...) F(c, a) HAFT_E25_(F, c, __VA_ARGS__)
#define HAFT_E27_(F, c, a, ...) F(c, a) HAFT_E26_(F, c, __VA_ARGS__)
#define HAFT_E28_(F, c, a, ...) F(c, a) HAFT_E27_(F, c, __VA_ARGS__)
#define HAFT_E29_(F, c, a, ...) F(c, a) HAFT_E28_(F, c, __VA_ARGS__)
#define HAFT_E30_(F, c, a, ...) F(c, a) HAFT_E29_(F, c, __VA_ARGS__)
#define HAFT_E31_(F, c, a, ...) F(c, a) HAFT_E30_(F, c, __VA_ARGS__)
#define HAFT_E32_(F, c, a, ...) F(c, a) HAFT_E31_(F, c, __VA_ARGS__)
#define HAFT_E33_(F, c, a, ...) F(c, a) HAFT_E32_(F, c, __VA_ARGS__)
#define HAFT_E34_(F, c, a, ...) F(c, a) HAFT_E33_(F, c, __VA_ARGS__)
#define HAFT_E35_(F, c, a, ...) F(c, a) HAFT_E34_(F, c, __VA_ARGS__)
#define HAFT_E36_(F, c, a, ...) F(c, a) HAFT_E35_(F, c, __VA_ARGS__)
#define HAFT_E37_(F, c, a, ...) F(c, a) HAFT_E36_(F, c, __VA_ARGS__)
#define HAFT_E38_(F, c, a, ...) F(c, a) HAFT_E37_(F, c, __VA_ARGS__)
#define HAFT_E39_(F, c, a, ...) F(c, a) HAFT_E38_(F, c, __VA_ARGS__)
#define HAFT_E40_(F, c, a, ...) F(c, a) HAFT_E39_(F, c, __VA_ARGS__)
#define HAFT_E41_(F, c, a, ...) F(c, a) HAFT_E40_(F, c, __VA_ARGS__)
#define HAFT_E42_(F, c, a, ...) F(c, a) HAFT_E41_(F, c, __VA_ARGS__)
#define HAFT_E43_(F, c, a, ...) F(c, a) HAFT_E42_(F, c, __VA_ARGS__)
#define HAFT_E44_(F, c, a, ...) F(c, a) HAFT_E43_(F, c, __VA_ARGS__)
#define HAFT_E45_(F, c, a, ...) F(c, a) HAFT_E44_(F, c, __VA_ARGS__)
#define HAFT_E46_(F, c, a, ...) F(c, a) HAFT_E45_(F, c, __VA_ARGS__)
#define HAFT_E47_(F, c, a, ...) F(c, a) HAFT_E46_(F, c, __VA_ARGS__)
#define HAFT_E48_(F, c, a, ...) F(c, a) HAFT_E47_(F, c, __VA_ARGS__)
#define HAFT_E49_(F, c, a, ...) F(c, a) HAFT_E48_(F, c, __VA_ARGS__)
#define HAFT_E50_(F, c, a, ...) F(c, a) HAFT_E49_(F, c, __VA_ARGS__)
#define HAFT_E51_(F, c, a, ...) F(c, a) HAFT_E50_(F, c, __VA_ARGS__)
#define HAFT_E52_(F, c, a, ...) F(c, a) HAFT_E51_(F, c, __VA_ARGS__)
#define HAFT_E53_(F, c, a, ...) F(c, a) HAFT_E52_(F, c, __VA_ARGS__)
#define HAFT_E54_(F, c, a, ...) F(c, a) HAFT_E53_(F, c, __VA_ARGS__)
#define HAFT_E55_(F, c, a, ...) F(c, a) HAFT_E54_(F, c, __VA_ARGS__)
#define HAFT_E56_(F, c, a, ...) F(c, a) HAFT_E55_(F, c, __VA_ARGS__)
#define HAFT_E57_(F, c, a, ...) F(c, a) HAFT_E56_(F, c, __VA_ARGS__)
#define HAFT_E58_(F, c, a, ...) F(c, a) HAFT_E57_(F, c, __VA_ARGS__)
#define HAFT_E59_(F, c, a, ...) F(c, a) HAFT_E58_(F, c, __VA_ARGS__)
#define HAFT_E60_(F, c, a, ...) F(c, a) HAFT_E59_(F, c, __VA_ARGS__)
#define HAFT_E61_(F, c, a, ...) F(c, a) HAFT_E60_(F, c, __VA_ARGS__)
#define HAFT_E62_(F, c, a, ...) F(c, a) HAFT_E61_(F, c, __VA_ARGS__)
#define HAFT_E63_(F, c, a, ...) F(c, a) HAFT_E62_(F, c, __VA_ARGS__)
#define HAFT_E64_(F, c, a, ...) F(c, a) HAFT_E63_(F, c, __VA_ARGS__)

/* ---- the same of names as they are written, also of those that are macros (SIGTERM) ----
 *
 * What is pasted or made a text is not expanded.  So every list of names that is passed on has something pasted
 * to its front, an underscore: HAFT_WRITTEN_(_##__VA_ARGS__)(F, T, _##__VA_ARGS__) is
 * F(T, T_a, "_a") F(T, T_b, "_b") ... */
#define HAFT_WRITTEN_(...) \
    HAFT_PICK_(_##__VA_ARGS__, \
               HAFT_W64_, HAFT_W63_, HAFT_W62_, HAFT_W61_, HAFT_W60_, HAFT_W59_, HAFT_W58_, \
               HAFT_W57_, HAFT_W56_, HAFT_W55_, HAFT_W54_, HAFT_W53_, HAFT_W52_, HAFT_W51_, \
               HAFT_W50_, HAFT_W49_, HAFT_W48_, HAFT_W47_, HAFT_W46_, HAFT_W45_, HAFT_W44_, \
               HAFT_W43_, HAFT_W42_, HAFT_W41_, HAFT_W40_, HAFT_W39_, HAFT_W38_, HAFT_W37_, \
               HAFT_W36_, HAFT_W35_, HAFT_W34_, HAFT_W33_, HAFT_W32_, HAFT_W31_, HAFT_W30_, \
               HAFT_W29_, HAFT_W28_, HAFT_W27_, HAFT_W26_, HAFT_W25_, HAFT_W24_, HAFT_W23_, \
               HAFT_W22_, HAFT_W21_, HAFT_W20_, HAFT_W19_, HAFT_W18_, HAFT_W17_, HAFT_W16_, \
               HAFT_W15_, HAFT_W14_, HAFT_W13_, HAFT_W12_, HAFT_W11_, HAFT_W10_, HAFT_W9_, \
               HAFT_W8_, HAFT_W7_, HAFT_W6_, HAFT_W5_, HAFT_W4_, HAFT_W3_, HAFT_W2_, HAFT_W1_, 0)
#define HAFT_W1_(F, c, a) F(c, c##a, #a)
#define HAFT_W2_(F, c, a, ...) F(c, c##a, #a) HAFT_W1_(F, c, _##__VA_ARGS__)
#define HAFT_W3_(F, c, a, ...) F(c, c##a, #a) HAFT_W2_(F, c, _##__VA_ARGS__)
#define HAFT_W4_(F, c, a, ...) F(c, c##a, #a) HAFT_W3_(F, c, _##__VA_ARGS__)
#define HAFT_W5_(F, c, a, ...) F(c, c##a, #a) HAFT_W4_(F, c, _##__VA_ARGS__)
#define HAFT_W6_(F, c, a, ...) F(c, c##a, #a) HAFT_W5_(F, c, _##__VA_ARGS__)
#define HAFT_W7_(F, c, a, ...) F(c, c##a, #a) HAFT_W6_(F, c, _##__VA_ARGS__)
#define HAFT_W8_(F, c, a, ...) F(c, c##a, #a) HAFT_W7_(F, c, _##__VA_ARGS__)
#define HAFT_W9_(F, c, a, ...) F(c, c##a, #a) HAFT_W8_(F, c, _##__VA_ARGS__)
#define HAFT_W10_(F, c, a, ...) F(c, c##a, #a) HAFT_W9_(F, c, _##__VA_ARGS__)
#define HAFT_W11_(F, c, a, ...) F(c, c##a, #a) HAFT_W10_(F, c, _##__VA_ARGS__)
#define HAFT_W12_(F, c, a, ...) F(c, c##a, #a) HAFT_W11_(F, c, _##__VA_ARGS__)
#define HAFT_W13_(F, c, a, ...) F(c, c##a, #a) HAFT_W12_(F, c, _##__VA_ARGS__)
#define HAFT_W14_(F, c, a, ...) F(c, c##a, #a) HAFT_W13_(F, c, _##__VA_ARGS__)
#define HAFT_W15_(F, c, a, ...) F(c, c##a, #a) HAFT_W14_(F, c, _##__VA_ARGS__)
#define HAFT_W16_(F, c, a, ...) F(c, c##a, #a) HAFT_W15_(F, c, _##__VA_ARGS__)
#define HAFT_W17_(F, c, a, ...) F(c, c##a, #a) HAFT_W16_(F, c, _##__VA_ARGS__)
#define HAFT_W18_(F, c, a, ...) F(c, c##a, #a) HAFT_W17_(F, c, _##__VA_ARGS__)
#define HAFT_W19_(F, c, a, ...) F(c, c##a, #a) HAFT_W18_(F, c, _##__VA_ARGS__)
#define HAFT_W20_(F, c, a, ...) F(c, c##a, #a) HAFT_W19_(F, c, _##__VA_ARGS__)
#define HAFT_W21_(F, c, a, ...) F(c, c##a, #a) HAFT_W20_(F, c, _##__VA_ARGS__)
#define HAFT_W22_(F, c, a, ...) F(c, c##a, #a) HAFT_W21_(F, c, _##__VA_ARGS__)
#define HAFT_W23_(F, c, a, ...) F(c, c##a, #a) HAFT_W22_(F, c, _##__VA_ARGS__)
#define HAFT_W24_(F, c, a, ...) F(c, c##a, #a) HAFT_W23_(F, c, _##__VA_ARGS__)
#define HAFT_W25_(F, c, a, ...) F(c, c##a, #a) HAFT_W24_(F, c, _##__VA_ARGS__)
#define HAFT_W26_(F, c, a, ...) F(c, c##a, #a) HAFT_W25_(F, c, _##__VA_ARGS__)
#define HAFT_W27_(F, c, a, ...) F(c, c##a, #a) HAFT_W26_(F, c, _##__VA_ARGS__)
#define HAFT_W28_(F, c, a, ...) F(c, c##a, #a) HAFT_W27_(F, c, _##__VA_ARGS__)
#define HAFT_W29_(F, c, a, ...) F(c, c##a, #a) HAFT_W28_(F, c, _##__VA_ARGS__)
#define HAFT_W30_(F, c, a, ...) F(c, c##a, #a) HAFT_W29_(F, c, _##__VA_ARGS__)
#define HAFT_W31_(F, c, a, ...) F(c, c##a, #a) HAFT_W30_(F, c, _##__VA_ARGS__)
#define HAFT_W32_(F, c, a, ...) F(c, c##a, #a) HAFT_W31_(F, c, _##__VA_ARGS__)
#define HAFT_W33_(F, c, a, ...) F(c, c##a, #a) HAFT_W32_(F, c, _##__VA_ARGS__)
#define HAFT_W34_(F, c, a, ...) F(c, c##a, #a) HAFT_W33_(F, c, _##__VA_ARGS__)
#define HAFT_W35_(F, c, a, ...) F(c, c##a, #a) HAFT_W34_(F, c, _##__VA_ARGS__)
#define HAFT_W36_(F, c, a, ...) F(c, c##a, #a) HAFT_W35_(F, c, _##__VA_ARGS__)
#define HAFT_W37_(F, c, a, ...) F(c, c##a, #a) HAFT_W36_(F, c, _##__VA_ARGS__)
#define HAFT_W38_(F, c, a, ...) F(c, c##a, #a) HAFT_W37_(F, c, _##__VA_ARGS__)
#define HAFT_W39_(F, c, a, ...) F(c, c##a, #a) HAFT_W38_(F, c, _##__VA_ARGS__)
#define HAFT_W40_(F, c, a, ...) F(c, c##a, #a) HAFT_W39_(F, c, _##__VA_ARGS__)
#define HAFT_W41_(F, c, a, ...) F(c, c##a, #a) HAFT_W40_(F, c, _##__VA_ARGS__)
#define HAFT_W42_(F, c, a, ...) F(c, c##a, #a) HAFT_W41_(F, c, _##__VA_ARGS__)
#define HAFT_W43_(F, c, a, ...) F(c, c##a, #a) HAFT_W42_(F, c, _##__VA_ARGS__)
#define HAFT_W44_(F, c, a, ...) F(c, c##a, #a) HAFT_W43_(F, c, _##__VA_ARGS__)
#define HAFT_W45_(F, c, a, ...) F(c, c##a, #a) HAFT_W44_(F, c, _##__VA_ARGS__)
#define HAFT_W46_(F, c, a, ...) F(c, c##a, #a) HAFT_W45_(F, c, _##__VA_ARGS__)
#define HAFT_W47_(F, c, a, ...) F(c, c##a, #a) HAFT_W46_(F, c, _##__VA_ARGS__)
#define HAFT_W48_(F, c, a, ...) F(c, c##a, #a) HAFT_W47_(F, c, _##__VA_ARGS__)
#define HAFT_W49_(F, c, a, ...) F(c, c##a, #a) HAFT_W48_(F, c, _##__VA_ARGS__)
#define HAFT_W50_(F, c, a, ...) F(c, c##a, #a) HAFT_W49_(F, c, _##__VA_ARGS__)
#define HAFT_W51_(F, c, a, ...) F(c, c##a, #a) HAFT_W50_(F, c, _##__VA_ARGS__)
#define HAFT_W52_(F, c, a, ...) F(c, c##a, #a) HAFT_W51_(F, c, _##__VA_ARGS__)
#define HAFT_W53_(F, c, a, ...) F(c, c##a, #a) HAFT_W52_(F, c, _##__VA_ARGS__)
#define HAFT_W54_(F, c, a, ...) F(c, c##a, #a) HAFT_W53_(F, c, _##__VA_ARGS__)
#define HAFT_W55_(F, c, a, ...) F(c, c##a, #a) HAFT_W54_(F, c, _##__VA_ARGS__)
#define HAFT_W56_(F, c, a, ...) F(c, c##a, #a) HAFT_W55_(F, c, _##__VA_ARGS__)
#define HAFT_W57_(F, c, a, ...) F(c, c##a, #a) HAFT_W56_(F, c, _##__VA_ARGS__)
#define HAFT_W58_(F, c, a, ...) F(c, c##a, #a) HAFT_W57_(F, c, _##__VA_ARGS__)
#define HAFT_W59_(F, c, a, ...) F(c, c##a, #a) HAFT_W58_(F, c, _##__VA_ARGS__)
#define HAFT_W60_(F, c, a, ...) F(c, c##a, #a) HAFT_W59_(F, c, _##__VA_ARGS__)
#define HAFT_W61_(F, c, a, ...) F(c, c##a, #a) HAFT_W60_(F, c, _##__VA_ARGS__)
#define HAFT_W62_(F, c, a, ...) F(c, c##a, #a) HAFT_W61_(F, c, _##__VA_ARGS__)
#define HAFT_W63_(F, c, a, ...) F(c, c##a, #a) HAFT_W62_(F, c, _##__VA_ARGS__)
#define HAFT_W64_(F, c, a, ...) F(c, c##a, #a) HAFT_W63_(F, c, _##__VA_ARGS__)

#endif
