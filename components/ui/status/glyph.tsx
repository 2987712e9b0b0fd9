import type { ReactNode } from 'react'
import { classNames } from '#components/ui/text/class-names.ts'

export type GlyphProps = {
  className?: string
  /** A size class that replaces the usual one. */
  size?: string
}

/** The frame of the console's 16 × 16 shapes. Decorative: screen readers read the word next to it. */
export function Glyph({ children, className, size = 'size-4' }: GlyphProps & { children: ReactNode }) {
  return (
    <svg
      aria-hidden="true"
      viewBox="0 0 16 16"
      className={classNames(size, 'shrink-0', className)}
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="square"
    >
      {children}
    </svg>
  )
}
