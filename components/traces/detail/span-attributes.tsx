import { JsonView, MaskedValue } from '#components/json/json-view.tsx'
import * as t from '#components/texts/trace-detail/en.ts'
import { ErasedTag } from '#components/ui/status/erased-tag.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import type { Span } from '#lib/schemas/traces.ts'

/** Keys and values. Masked and erased values are marked as such. */
export function SpanAttributes({ attributes }: { attributes: Span['attributes'] }) {
  return (
    <dl className="border-line border-b">
      {attributes.map(({ key, value, masked, erased }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a span may carry a key twice, and attributes never move.
        <div key={`${index} ${key}`} className="border-line border-t py-1.5">
          <dt className="wrap-anywhere font-mono text-dense text-ink-2">
            <ShownText edges>{key}</ShownText>
          </dt>
          <dd className="min-w-0">
            {erased ? (
              <span className="inline-flex flex-wrap items-center gap-x-2">
                <ErasedTag /> <span className="text-ink-2">{t.permanentlyItsProofRemains}</span>
              </span>
            ) : masked ? (
              <MaskedValue masked={masked} />
            ) : value === undefined ? (
              t.noValue
            ) : (
              <JsonView value={value} />
            )}
          </dd>
        </div>
      ))}
    </dl>
  )
}
