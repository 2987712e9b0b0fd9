'use client'

import Link from 'next/link'
import { usePathname } from 'next/navigation'
import { Glyph } from '#components/ui/status/glyph.tsx'
import { classNames } from '#components/ui/text/class-names.ts'
import { VisuallyHidden } from '#components/ui/text/visually-hidden.tsx'
import { alarmsPath } from '#lib/paths.ts'
import { areaOf, RAIL_GROUPS } from './rail-items.ts'

type RailProps = {
  tenant: string
  /** Approvals that wait for this person; undefined while unknown. */
  waiting: number | undefined
  /** Open alarms; undefined while unknown, and for people who may not see them. */
  alarms: number | undefined
  /** Called when an item was chosen, to close the menu on small screens. */
  onNavigate?: () => void
}

/** The areas of the console, as links. */
export function Rail({ tenant, waiting, alarms, onNavigate }: RailProps) {
  const here = areaOf(usePathname())
  return (
    <nav aria-label="Main">
      {RAIL_GROUPS.map((group, index) => (
        <ul
          // biome-ignore lint/suspicious/noArrayIndexKey: the groups are constant.
          key={index}
          className="flex flex-col gap-px border-line py-3 not-first:border-t first:pt-0"
        >
          {group.map((item) => (
            <li key={item.label}>
              <Link
                href={item.href(tenant)}
                // Shells are small and the same for every tenant, but 20 prefetches a page are not.
                prefetch={false}
                onClick={onNavigate}
                aria-current={item.area === here ? 'page' : undefined}
                className={classNames(
                  'flex min-h-7 items-center justify-between gap-2 border-l-3 px-2 py-1 rail:min-h-7',
                  item.area === here
                    ? 'border-accent-mark bg-selected font-semibold'
                    : 'border-transparent hover:bg-selected',
                )}
              >
                {item.label}
                {item.area === 'approvals' && waiting !== undefined && waiting > 0 && <Waiting count={waiting} />}
              </Link>
            </li>
          ))}
        </ul>
      ))}
      {alarms !== undefined && alarms > 0 && <Alarms tenant={tenant} count={alarms} onNavigate={onNavigate} />}
    </nav>
  )
}

/** At the foot of the rail, on every page until the last alarm is closed. */
function Alarms({
  tenant,
  count,
  onNavigate,
}: {
  tenant: string
  count: number
  onNavigate: (() => void) | undefined
}) {
  return (
    <div className="border-line border-t px-2 pt-3">
      <Link
        href={alarmsPath(tenant)}
        prefetch={false}
        onClick={onNavigate}
        className="inline-flex min-h-7 items-center gap-1.5 font-semibold text-danger underline underline-offset-3"
      >
        <Glyph>
          <path d="M8 2.25 14.25 13.5H1.75z" strokeLinejoin="miter" />
          <path d="M8 6.5v3m0 1.9v.1" />
        </Glyph>
        {count > 99 ? '99+' : count} {count === 1 ? 'alarm' : 'alarms'}
      </Link>
    </div>
  )
}

function Waiting({ count }: { count: number }) {
  return (
    <span className="font-semibold">
      {count > 99 ? '99+' : count}
      <VisuallyHidden> waiting for you</VisuallyHidden>
    </span>
  )
}
