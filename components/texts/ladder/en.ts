import { text } from '#components/language/text.ts'

// Paths from a record to a signed root.

export const reachesSignedRoot = text('From {from}, this browser reaches the signed root.')
export const reachesOtherRoot = text('From {from}, this browser reaches a different root from the signed one.')
export const itReachesCopyableEither = text(
  'It reaches <copyable>copyable</copyable>. Either the starting point or the path differs from the log.',
)
export const leafOf = text('{of, select, day {The day’s leaf} other {The record’s leaf}}')
export const step = text('Step {step}, with the sibling on the {side, select, right {right} other {left}}')
export const resultOf = text('result of step {step}')
export const rootLabel = text('root')
export const thisLeaf = text('{of, select, day {this day} other {this record}}')
export const computed = text('computed')
export const given = text('given')
export const computedRoot = text('computed root')
export const leafHash = text('leaf hash')
