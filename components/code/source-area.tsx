'use client'

import { type ComponentPropsWithRef, useRef } from 'react'
import { CONTROL } from '#components/ui/controls/field.tsx'
import { classNames } from '#components/ui/text/class-names.ts'

type SourceAreaProps = Omit<ComponentPropsWithRef<'textarea'>, 'value' | 'onChange'> & {
  value: string
  onChange: (value: string) => void
  /** Numbers of the lines that have a problem. */
  marked: ReadonlySet<number | undefined>
}

/** A text area for source text, with line numbers. */
export function SourceArea({ value, onChange, marked, className, ...area }: SourceAreaProps) {
  const gutter = useRef<HTMLDivElement>(null)
  return (
    <div className="grid grid-cols-[auto_minmax(0,1fr)]">
      <div aria-hidden="true" className="h-0 min-h-full overflow-hidden border border-line-strong border-r-0 bg-sunken">
        <div ref={gutter} className="px-2 py-1.5 text-right font-mono text-dense text-ink-3">
          {value.split('\n').map((_, index) => (
            <div
              // biome-ignore lint/suspicious/noArrayIndexKey: a line number is its own key.
              key={index}
              className={classNames(marked.has(index + 1) && '-mx-2 bg-danger-soft px-2 font-bold text-danger')}
            >
              {index + 1}
            </div>
          ))}
        </div>
      </div>
      <textarea
        {...area}
        wrap="off"
        spellCheck={false}
        autoCapitalize="none"
        autoComplete="off"
        value={value}
        onChange={(event) => onChange(event.target.value)}
        onScroll={(event) => {
          if (gutter.current) gutter.current.style.translate = `0 -${event.currentTarget.scrollTop}px`
        }}
        className={classNames(CONTROL, 'resize-y overflow-auto whitespace-pre font-mono text-dense', className)}
      />
    </div>
  )
}
