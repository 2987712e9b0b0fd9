import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { HARDEST_SURFACE } from '#lib/rules/accent.ts'
import { contrast, inSrgb, luminance, type Oklch, parseOklch } from '#lib/rules/color.ts'

const css = readFileSync(new URL('./tokens.css', import.meta.url), 'utf8')
const OKLCH = String.raw`oklch\([^)]*\)`
const OWN = new RegExp(String.raw`--([a-z0-9-]+): light-dark\((${OKLCH}), (${OKLCH})\);`, 'g')

function parsed(text: string | undefined): Oklch {
  const color = parseOklch(text ?? '')
  if (!color) throw new Error(`not an OKLCH colour: ${text}`)
  return color
}

const tokens = new Map(
  [...css.matchAll(OWN)].map(([, name = '', light, dark]) => [name, { light: parsed(light), dark: parsed(dark) }]),
)

function token(name: string, theme: 'light' | 'dark'): Oklch {
  const pair = tokens.get(name)
  if (!pair) throw new Error(`no token ${name}`)
  return pair[theme]
}

const SURFACES = ['canvas', 'surface', 'raised', 'sunken', 'selected']
const TONES = ['ok', 'warn', 'danger', 'info', 'hold']
const TEXTS = ['ink', 'ink-2', 'ink-3', ...TONES, 'mask']
const pairs = (fronts: string[], backs: string[]) => fronts.flatMap((front) => backs.map((back) => [front, back]))

/** Text may stand on any surface, on its own soft fill, and ink on every soft fill. */
const TEXT_PAIRS = [
  ...pairs(TEXTS, SURFACES),
  ...TONES.map((tone) => [tone, `${tone}-soft`]),
  ...pairs(['ink', 'ink-2'], [...TONES.map((tone) => `${tone}-soft`), 'mask-soft']),
  ['mask', 'mask-soft'],
  ...pairs(['on-primary'], ['primary', 'primary-hover']),
]

/** Borders of controls, focus rings and shapes. Hairlines (`line`) only decorate and need no ratio. */
const SHAPE_PAIRS = [
  ...pairs(['line-strong', 'focus', 'primary', ...TONES], SURFACES),
  ...pairs(
    ['line-strong', 'focus'],
    TONES.map((tone) => `${tone}-soft`),
  ),
]

describe.each(['light', 'dark'] as const)('%s theme', (theme) => {
  test('every text pair has 4.5:1', () => {
    const failures = TEXT_PAIRS.map(([front = '', back = '']) => ({
      pair: `${front} on ${back}`,
      ratio: contrast(token(front, theme), token(back, theme)),
    })).filter(({ ratio }) => ratio < 4.5)
    expect(failures).toEqual([])
  })

  test('every shape and border has 3:1', () => {
    const failures = SHAPE_PAIRS.map(([front = '', back = '']) => ({
      pair: `${front} on ${back}`,
      ratio: contrast(token(front, theme), token(back, theme)),
    })).filter(({ ratio }) => ratio < 3)
    expect(failures).toEqual([])
  })

  test('every token is inside sRGB', () => {
    expect([...tokens].filter(([, pair]) => !inSrgb(pair[theme])).map(([name]) => name)).toEqual([])
  })

  test('accents are derived against the hardest surface', () => {
    const byLuminance = SURFACES.map((name) => token(name, theme)).sort((a, b) => luminance(a) - luminance(b))
    expect(HARDEST_SURFACE[theme]).toEqual(theme === 'light' ? byLuminance.at(0) : byLuminance.at(-1))
  })
})

test('every token of the file is read, and none uses what axe cannot judge', () => {
  const declared = [...css.matchAll(/^\s+--([a-z0-9-]+):/gm)].map(([, name]) => name)
  const accents = ['accent-mark', 'accent-text', 'on-accent']
  expect(declared.filter((name) => !accents.includes(name ?? ''))).toEqual([...tokens.keys()])
  const values = css.replaceAll(/\/\*[\s\S]*?\*\//g, '')
  expect(values).not.toMatch(/\bnone\b|color-mix|\/\s*[\d.]+/)
})
