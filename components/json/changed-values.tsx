import type { ReactNode } from 'react'
import { Leaf } from '#components/json/json-view.tsx'
import * as t from '#components/texts/json/en.ts'
import { MaskedChip } from '#components/ui/status/masked-chip.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import type { JsonValue } from '#lib/json.ts'
import { maskedShape } from './masked-shape.ts'

/** A value, or the class and length of a masked one. Null where it is missing. */
export type ChangedSide = {
  value?: JsonValue | undefined
  /** Whether the text "[erased]" replaces an erased one. */
  erased?: boolean | undefined
  masked?: { class: string; length: number } | undefined
} | null

export type ChangedValue = { path: string; before: ChangedSide; after: ChangedSide }

type ChangedValuesProps = {
  /** For screen readers only. */
  caption: string
  names: { value: string; before: ReactNode; after: ReactNode }
  rows: readonly ChangedValue[]
  /** Whether something was erased from what contains the values. */
  erased?: boolean
}

/** Values next to what they were, or are elsewhere. */
export function ChangedValues({ caption, names, rows, erased = false }: ChangedValuesProps) {
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
              <Side side={before} erased={erased} />
            </td>
            <td className="wrap-anywhere py-1 font-semibold">
              <Side side={after} erased={erased} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Side({ side, erased }: { side: ChangedSide; erased: boolean }) {
  if (side === null) return <span className="text-ink-2">{t.none}</span>
  if (side.masked !== undefined) return <MaskedChip shape={maskedShape(side.masked)} />
  return <Leaf value={side.value ?? ''} erased={erased || side.erased === true} />
}
