import { text } from '#components/language/text.ts'

// Parts that many pages share: what was erased, and what is new.

export const isNew = text('New')
export const retained = text(
  'Its content reached the end of the organisation’s retention period and was deleted on <at>time</at>.',
)
export const erased = text('Personal data was erased on <at>time</at> by <shown>{name}</shown>.')
export const unchanged = text('Digests, states and audit records are unchanged.')
