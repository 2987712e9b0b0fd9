import type { ReactNode } from 'react'
import { LongText } from '#components/json/json-view.tsx'
import * as t from '#components/texts/json/en.ts'
import { MaskedChip } from '#components/ui/status/masked-chip.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import type { JsonValue } from '#lib/json.ts'
import { maskedShape } from './masked-shape.ts'

/** A value, or the class and length of a masked one. Null where it is missing. */
export type ChangedSide = {
  value?: JsonValue | undefined
  masked?: { class: string; length: number } | undefined
} | null

export type ChangedValue = { path: string; before: ChangedSide; after: ChangedSide }

type ChangedValuesProps = {
  /** For screen readers only. */
  caption: string
  names: { value: string; before: ReactNode; after: ReactNode }
  rows: readonly ChangedValue[]
}

/** Values next to what they were, or are elsewhere. */
export function ChangedValues({ caption, names, rows }: ChangedValuesProps) {
  return (
    <table className="w-full max-w-2xl table-fixed text-dense">
      <caption className="sr-only">{caption}</caption>
      <thead>
        <tr className="border-line border-b text-left text-ink-2">
          <th scope="col" className="py-1 pr-3 font-normal">
            {names.value}
          </th>
          <th scope="col" className="py-1 pr-3 font-normal">
            {names.before}
          </th>
          <th scope="col" className="py-1 font-normal">
            {names.after}
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ path, before, after }) => (
          <tr key={path} className="border-line border-b align-top">
            <th scope="row" className="wrap-anywhere py-1 pr-3 text-left font-mono font-normal">
              <ShownText>{path}</ShownText>
            </th>
            <td className="wrap-anywhere py-1 pr-3">
              <Side side={before} />
            </td>
            <td className="wrap-anywhere py-1 font-semibold">
              <Side side={after} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Side({ side }: { side: ChangedSide }) {
  if (side === null) return <span className="text-ink-2">{t.none}</span>
  if (side.masked !== undefined) return <MaskedChip shape={maskedShape(side.masked)} />
  return <LongText text={typeof side.value === 'string' ? side.value : JSON.stringify(side.value)} prose />
}
