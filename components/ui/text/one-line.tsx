import type { ReactNode } from 'react'

/** Characters that fit one line of a table's cell. */
const most = 28

/** A name in a table's cell: on one line if it is short, so that a row of common names is as high as its title. */
export const OneLine = ({ text, children }: { text: string; children: ReactNode }) => (
  <span className={text.length <= most ? 'whitespace-nowrap [&_bdi]:whitespace-pre' : undefined}>{children}</span>
)
