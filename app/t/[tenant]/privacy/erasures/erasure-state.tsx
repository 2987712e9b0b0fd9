'use client'

import Link from 'next/link'
import type { ReactNode } from 'react'
import { shortHash } from '#components/ladder/short-hash.ts'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/privacy/en.ts'
import { StatusShape } from '#components/ui/status/status-shape.tsx'
import { alarmsPath, privacyPath } from '#lib/paths.ts'
import type { Answers } from '#lib/trpc.ts'
import { waitedForPath } from './waited-for-path.ts'

type Erasure = Answers['erasures']['list']['items'][number]

/** How far an erasure has come, what it waits for, what it left and why. */
export function ErasureState({ erasure }: { erasure: Erasure }) {
  const { tenant, can } = useSession()
  const { status, waitsFor, heldSpans, heldRecords, unreadable } = erasure
  const held = heldSpans + heldRecords
  return (
    <div className="flex flex-col gap-0.5">
      <Shape status={status} waiting={waitsFor.length} />
      {waitsFor.length > 0 && (
        <Note>
          {t.waitsFor({
            objects: waitsFor.length,
            list: () => (
              <>
                {waitsFor.slice(0, 3).map((id, index) => (
                  <span key={id}>
                    {index > 0 && ', '}
                    <Link
                      href={waitedForPath(tenant, erasure, id, can)}
                      prefetch={false}
                      className="text-link font-mono"
                    >
                      {shortHash(id)}
                    </Link>
                  </span>
                ))}
                {waitsFor.length > 3 && ', …'}
              </>
            ),
          })}
        </Note>
      )}
      {held > 0 && (
        <Note>
          {t.recordsWithSubjectAre({
            records: held,
            held,
            link: (content) => (
              <Link href={privacyPath(tenant, 'holds')} prefetch={false} className="text-link">
                {content}
              </Link>
            ),
          })}
        </Note>
      )}
      {unreadable > 0 && (
        <Note>
          {t.recordsCouldNotBe({
            records: unreadable,
            link: (content) => (
              <Link href={alarmsPath(tenant)} prefetch={false} className="text-link">
                {content}
              </Link>
            ),
          })}
        </Note>
      )}
    </div>
  )
}

function Shape({ status, waiting }: { status: Erasure['status']; waiting: number }) {
  if (status === 'completed') return <StatusShape status="approved" label={t.completed} />
  if (status === 'completed_with_omissions')
    return <StatusShape status="omissions" label={t.completedSomeContentRemains} />
  return waiting > 0 ? (
    <StatusShape status="waiting" label={t.waiting} />
  ) : (
    <StatusShape status="running" label={t.searching} />
  )
}

const Note = ({ children }: { children: ReactNode }) => (
  <span className="max-w-[45ch] text-dense text-ink-2">{children}</span>
)
