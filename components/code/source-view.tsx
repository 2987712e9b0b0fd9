import { ShownText } from '#components/ui/text/shown-text.tsx'

/** Source text with line numbers, in a scrollable area that is reachable by keyboard. */
export function SourceView({ source, label }: { source: string; label: string }) {
  const lines = source.replace(/\n$/, '').split('\n')
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be reachable by keyboard (WCAG 2.1.1).
    <section aria-label={label} tabIndex={0} className="max-h-140 overflow-auto border border-line bg-surface">
      <div className="grid w-max min-w-full grid-cols-[auto_1fr] font-mono text-dense">
        <pre aria-hidden="true" className="select-none border-line border-r px-2 py-2 text-right font-mono text-ink-3">
          {lines.map((_, index) => index + 1).join('\n')}
        </pre>
        <pre className="px-3 py-2 font-mono">
          <code>
            <ShownText>{lines.join('\n')}</ShownText>
          </code>
        </pre>
      </div>
    </section>
  )
}
