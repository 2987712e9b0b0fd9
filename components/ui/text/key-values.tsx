import type { ReactNode } from 'react'

/** Ruled rows of a name and its value. */
export function KeyValues({ children }: { children: ReactNode }) {
  return <dl className="border-line border-b">{children}</dl>
}

export function KeyValue({ name, children }: { name: ReactNode; children: ReactNode }) {
  return (
    <div className="grid grid-cols-1 gap-x-4 border-line border-t py-1.5 first:border-t-0 narrow:grid-cols-[minmax(8rem,22%)_minmax(0,1fr)]">
      <dt className="text-ink-2">{name}</dt>
      <dd className="wrap-anywhere min-w-0">{children}</dd>
    </div>
  )
}
