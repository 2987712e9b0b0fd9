import * as t from '#components/texts/shell/en.ts'

/** On each page of a demo tenant, on paper too, so that it is not taken for real days. */
export function DemoStrip() {
  return (
    <p className="border-line border-b bg-surface px-3 py-1 text-dense text-ink-2 rail:px-7">
      {t.demo({ strong: (content) => <strong className="font-semibold text-ink">{content}</strong> })}
    </p>
  )
}
