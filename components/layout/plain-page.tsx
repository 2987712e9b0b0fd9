import type { ReactNode } from 'react'

/** A page outside any tenant, in one column. */
export function PlainPage({ title, children }: { title: string; children: ReactNode }) {
  return (
    <main className="mx-auto flex min-h-dvh max-w-140 flex-col justify-center gap-4 px-4 py-12">
      <h1>{title}</h1>
      {children}
    </main>
  )
}
