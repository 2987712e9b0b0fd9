import Link from 'next/link'
import type { ReactNode } from 'react'
import * as t from '#components/texts/shell/en.ts'
import { classNames } from '#components/ui/text/class-names.ts'
import { ShownText } from '#components/ui/text/shown-text.tsx'

/** The padding and width of a page without a decision rail. `wide` is for tables and traces: as wide as the frame, 1,600 px at most. */
export function Page({ wide = false, children }: { wide?: boolean; children: ReactNode }) {
  return (
    <div className={classNames('flex w-full flex-col gap-6 px-3 pt-4 pb-12 rail:px-7', !wide && 'max-w-240')}>
      {children}
    </div>
  )
}

export type Crumb = { label: string; href: string }

type PageHeaderProps = {
  /** The title; a sentence if the page is about an object: "Refund €4,200.00 to customer C-20418". */
  title: ReactNode
  /** The pages above this one. */
  crumbs?: Crumb[]
  /** After the crumbs: the object's id. */
  id?: ReactNode
  /** Next to the title: one sentence with the figures that matter. */
  lead?: ReactNode
  /** At the end of the crumbs' line: the position in a list. */
  aside?: ReactNode
  /** Under the title: risk, expiry, who, when. */
  facts?: ReactNode
  /** The page's own actions, at most one of them primary. */
  action?: ReactNode
}

/** The separator between two crumbs. */
const SEPARATOR = <span aria-hidden="true">/</span>

export function PageHeader({ title, crumbs = [], id, lead, aside, facts, action }: PageHeaderProps) {
  return (
    <div className="flex flex-col gap-2">
      {(crumbs.length > 0 || aside) && (
        <div className="flex min-h-6 flex-wrap items-center justify-between gap-x-4 text-dense">
          <nav aria-label={t.breadcrumbs}>
            <ol className="flex flex-wrap items-center gap-x-1.5">
              {crumbs.map((crumb, index) => (
                <li key={crumb.href} className="flex items-center gap-x-1.5">
                  {index > 0 && SEPARATOR}
                  <Link href={crumb.href} className="text-link wrap-anywhere inline-flex min-h-6 items-center">
                    <ShownText>{crumb.label}</ShownText>
                  </Link>
                </li>
              ))}
              {id && (
                <li className="flex items-center gap-x-1.5">
                  {crumbs.length > 0 && SEPARATOR}
                  {id}
                </li>
              )}
            </ol>
          </nav>
          {aside && <div>{aside}</div>}
        </div>
      )}
      <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-2">
        <div className="flex min-h-9 min-w-0 flex-wrap items-center gap-x-4 gap-y-1">
          <h1 className="wrap-anywhere min-w-0">{title}</h1>
          {lead && <div className="text-ink-2">{lead}</div>}
        </div>
        {action && <div className="flex flex-wrap items-start gap-2">{action}</div>}
      </div>
      {facts && <div className="flex flex-wrap items-center gap-x-4 gap-y-1.5">{facts}</div>}
    </div>
  )
}
