import Link from 'next/link'
import type { ReactNode } from 'react'

/** From a part of home to the page that has all of it. */
export function AllLink({ href, children }: { href: string; children: ReactNode }) {
  return (
    <Link href={href} prefetch={false} className="text-link inline-flex min-h-6 items-center max-rail:min-h-11">
      {children}
    </Link>
  )
}
