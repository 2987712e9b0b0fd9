/** The meanings of colours. Colour only repeats what a shape and a word already express. */
export type Tone = 'neutral' | 'ok' | 'warn' | 'danger' | 'info' | 'hold'

export const TONE_TEXT: Record<Tone, string> = {
  neutral: 'text-ink-2',
  ok: 'text-ok',
  warn: 'text-warn',
  danger: 'text-danger',
  info: 'text-info',
  hold: 'text-hold',
}

export const TONE_SOFT: Record<Tone, string> = {
  neutral: 'bg-sunken',
  ok: 'bg-ok-soft',
  warn: 'bg-warn-soft',
  danger: 'bg-danger-soft',
  info: 'bg-info-soft',
  hold: 'bg-hold-soft',
}

export const TONE_BORDER: Record<Tone, string> = {
  neutral: 'border-line-strong',
  ok: 'border-ok',
  warn: 'border-warn',
  danger: 'border-danger',
  info: 'border-info',
  hold: 'border-hold',
}
