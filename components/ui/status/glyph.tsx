import type { ReactNode } from 'react'
import { classNames } from '#components/ui/text/class-names.ts'

/** The frame of our own 16 × 16 shapes. Decoration: the word beside it is what is read out. */
export function Glyph({ children, className }: { children: ReactNode; className?: string }) {
  return (
    <svg
      aria-hidden="true"
      viewBox="0 0 16 16"
      className={classNames('size-4 shrink-0', className)}
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="square"
    >
      {children}
    </svg>
  )
}
