import * as t from '#components/texts/json/en.ts'

/** The class and length of a masked value: "identity, 15 characters". */
export const maskedShape = ({ class: kind, length }: { class: string; length: number }): string =>
  t.shape({ class: kind, length })
