'use client'

import Link from 'next/link'
import { usePathname } from 'next/navigation'
import * as t from '#components/texts/shell/en.ts'
import { Glyph } from '#components/ui/status/glyph.tsx'
import { SealShape } from '#components/ui/status/seal.tsx'
import { classNames } from '#components/ui/text/class-names.ts'
import { Time } from '#components/ui/text/time.tsx'
import { VisuallyHidden } from '#components/ui/text/visually-hidden.tsx'
import { alarmsPath } from '#lib/paths.ts'
import { RAIL_ICONS } from './rail-icons.tsx'
import { areaOf, RAIL_GROUPS } from './rail-items.ts'

type RailProps = {
  tenant: string
  /** Approvals that wait for this person; undefined while unknown. */
  waiting: number | undefined
  /** Open alarms; undefined while unknown, and for people who may not see them. */
  alarms: number | undefined
  /** When today's log was last signed; null before the first time, undefined while unknown. */
  sealedAt: string | null | undefined
  /** Called when an item was chosen, to close the menu on small screens. */
  onNavigate?: () => void
}

/** The areas of the console, as links. */
export function Rail({ tenant, waiting, alarms, sealedAt, onNavigate }: RailProps) {
  const here = areaOf(usePathname())
  return (
    <nav aria-label={t.main} className="flex grow flex-col">
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
                  'flex min-h-11 items-center gap-2.5 border-l-3 px-2 py-1 rail:min-h-7.5',
                  item.area === here
                    ? 'border-accent-mark bg-selected font-semibold'
                    : 'border-transparent hover:bg-selected',
                )}
              >
                <Glyph className={item.area === here ? undefined : 'text-ink-2'}>{RAIL_ICONS[item.area]}</Glyph>
                <span className="grow">{item.label}</span>
                {item.area === 'approvals' && waiting !== undefined && waiting > 0 && <Waiting count={waiting} />}
              </Link>
            </li>
          ))}
        </ul>
      ))}
      <div className="mt-auto flex flex-col items-start gap-1 border-line px-2 not-empty:border-t not-empty:pt-3 not-empty:text-dense">
        {sealedAt !== undefined && <LogState sealedAt={sealedAt} />}
        {alarms !== undefined && alarms > 0 && <Alarms tenant={tenant} count={alarms} onNavigate={onNavigate} />}
      </div>
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
    <Link
      href={alarmsPath(tenant)}
      prefetch={false}
      onClick={onNavigate}
      className="inline-flex min-h-7 items-center gap-2.5 font-semibold text-base text-danger underline underline-offset-3 max-rail:min-h-11"
    >
      <Glyph>
        <path d="M8 2.25 14.25 13.5H1.75z" strokeLinejoin="miter" />
        <path d="M8 6.5v3m0 1.9v.1" />
      </Glyph>
      {t.alarms({ shown: bounded(count), count })}
    </Link>
  )
}

/** Up to when today's audit log is signed. */
function LogState({ sealedAt }: { sealedAt: string | null }) {
  return (
    <p className="flex items-start gap-2.5">
      <SealShape state={sealedAt === null ? 'unsealed' : 'sealed'} className="mt-px" />
      <span>
        <span className="block font-semibold">{t.logOfToday}</span>
        <span className="text-ink-2">{sealedAt === null ? t.notSealed : <SealedUntil at={sealedAt} />}</span>
      </span>
    </p>
  )
}

function SealedUntil({ at }: { at: string }) {
  return t.sealedTo({ at: () => <Time at={at} show="clock" /> })
}

function Waiting({ count }: { count: number }) {
  return (
    <span className="font-semibold">
      {t.waiting({ count: bounded(count), hidden: (content) => <VisuallyHidden>{content}</VisuallyHidden> })}
    </span>
  )
}

/** More are not counted. */
const bounded = (count: number): string => (count > 99 ? '99+' : String(count))
