import { formatDuration } from '#components/language/formats.ts'
import * as language from '#components/texts/language/en.ts'
import * as t from '#components/texts/trace-compare/en.ts'
import type { TraceSpan } from '#components/traces/model/trace-span.ts'
import { numberFormat } from '#lib/formatters.ts'
import {
  ADDED,
  type Call,
  COST,
  DURATION,
  durationOf,
  HIDDEN,
  INPUT,
  MISSING,
  OUTPUT,
  STATUS,
  stateOf,
  TOKENS,
} from './difference.ts'

export const stateWord = (span: TraceSpan): string =>
  ({ running: t.runningWord, error: t.errorWord, ok: t.endedWord })[stateOf(span)]

/** "+1.20 s", "−340 ms". */
export const gapText = (from: number, to: number): string =>
  `${to < from ? '−' : '+'}${formatDuration(Math.abs(to - from))}`

/** "+1,204", "−96", "0". */
export const countGap = (from: number, to: number): string =>
  numberFormat(language.tag, { signDisplay: 'exceptZero' })
    .format(to - from)
    .replace('-', '−')

const tokensOf = (call: Call | undefined): number => (call === undefined ? 0 : call.inputTokens + call.outputTokens)

type Both = { one: TraceSpan | undefined; other: TraceSpan | undefined; calls: [Call | undefined, Call | undefined] }

/** What differs in a row, in a few words; the most important first. Empty if nothing does. */
export function changesOf(bits: number, { one, other, calls: [first, second] }: Both): string[] {
  if (bits & ADDED) return [t.onlyInSecond]
  if (bits & MISSING) return [t.onlyInFirst]
  const words: string[] = []
  if (one === undefined || other === undefined) return words
  if (bits & STATUS) words.push(`${stateWord(one)} → ${stateWord(other)}`)
  if (bits & INPUT) words.push(t.inputWord)
  if (bits & OUTPUT) words.push(t.outputWord)
  const [from, to] = [durationOf(one), durationOf(other)]
  if (bits & DURATION && from !== undefined && to !== undefined) words.push(gapText(from, to))
  if (bits & TOKENS) words.push(t.tokenGap({ countGap: countGap(tokensOf(first), tokensOf(second)) }))
  if (bits & COST) words.push(t.costWord)
  if (bits & HIDDEN) words.push(t.maskedValuesNotCompared)
  return words
}

/** The sort of a row: a sign that is shown, and the word for it. */
export function markOf(bits: number): { sign: string; word: string } {
  if (bits & ADDED) return { sign: '+', word: t.addedWord }
  if (bits & MISSING) return { sign: '−', word: t.missingWord }
  return (bits & ~HIDDEN) === 0 ? { sign: '', word: t.theSame } : { sign: '≠', word: t.changedWord }
}
