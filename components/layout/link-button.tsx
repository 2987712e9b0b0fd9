'use client'

import Link from 'next/link'
import type { ReactNode, Ref } from 'react'
import { classNames } from '#components/ui/text/class-names.ts'

type LinkButtonProps = {
  href: string
  ref?: Ref<HTMLAnchorElement>
  wide?: boolean
  primary?: boolean
  children: ReactNode
}

/** A link to the next step, styled as a button. */
export function LinkButton({ href, ref, wide = false, primary = false, children }: LinkButtonProps) {
  return (
    <Link
      ref={ref}
      href={href}
      prefetch={false}
      className={classNames(
        'inline-flex min-h-9 items-center max-rail:min-h-11 justify-center gap-2 border px-3 py-1.5 text-center print:hidden',
        primary
          ? 'border-primary bg-primary font-semibold text-on-primary hover:bg-primary-hover'
          : 'border-line-strong bg-surface hover:bg-selected',
        wide && 'w-full',
      )}
    >
      {children}
    </Link>
  )
}
