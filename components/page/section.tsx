import { type ReactNode, useId } from 'react'

type SectionProps = {
  title: string
  /** After the title, lighter: what the part has, or how many. */
  note?: ReactNode
  /** At the end of the title's line. */
  aside?: ReactNode
  children: ReactNode
}

/** A part of a page under its own heading, which also names it for screen readers. */
export function Section({ title, note, aside, children }: SectionProps) {
  const id = useId()
  return (
    <section aria-labelledby={id} className="flex flex-col gap-2">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4">
        <div className="flex flex-wrap items-baseline gap-x-3">
          <h2 id={id}>{title}</h2>
          {note && <span className="text-dense text-ink-2">{note}</span>}
        </div>
        {aside}
      </div>
      {children}
    </section>
  )
}
