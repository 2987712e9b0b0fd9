import { type ReactNode, useId } from 'react'

/** A part of a span's details under its own heading. */
export function Part({ title, children }: { title: string; children: ReactNode }) {
  const id = useId()
  return (
    <section aria-labelledby={id} className="flex flex-col gap-1.5">
      <h3 id={id} className="text-dense text-ink-2">
        {title}
      </h3>
      {children}
    </section>
  )
}
