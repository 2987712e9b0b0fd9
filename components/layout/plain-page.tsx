import type { ReactNode } from 'react'

/** A page outside of any tenant: one column, a heading and what follows. */
export function PlainPage({ title, children }: { title: string; children: ReactNode }) {
  return (
    <main className="mx-auto flex min-h-dvh max-w-140 flex-col justify-center gap-4 px-4 py-12">
      <h1>{title}</h1>
      {children}
    </main>
  )
}
