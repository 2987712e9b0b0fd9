'use client'

import Link from 'next/link'
import type { ReactNode } from 'react'
import { useSession } from '#components/session/session-provider.tsx'
import { StatusShape } from '#components/ui/status/status-shape.tsx'
import { formatCount } from '#lib/format.ts'
import { alarmsPath, auditPath, privacyPath } from '#lib/paths.ts'
import type { Answers } from '#lib/trpc.ts'

type Erasure = Answers['erasures']['list']['items'][number]

/** How far an erasure has come, what it waits for, what it left and why. */
export function ErasureState({ erasure }: { erasure: Erasure }) {
  const { tenant } = useSession()
  const { status, waitsFor, heldSpans, heldRecords, unreadable } = erasure
  const held = heldSpans + heldRecords
  return (
    <div className="flex flex-col gap-0.5">
      <Shape status={status} waiting={waitsFor.length} />
      {waitsFor.length > 0 && (
        <Note>
          Waits for {formatCount(waitsFor.length, 'object')} in progress. Each is erased when it ends:{' '}
          {waitsFor.slice(0, 3).map((id, index) => (
            <span key={id}>
              {index > 0 && ', '}
              <Link href={auditPath(tenant, { resourceId: id })} prefetch={false} className="text-link font-mono">
                {id.slice(0, 8)}
              </Link>
            </span>
          ))}
          {waitsFor.length > 3 && ', …'}
        </Note>
      )}
      {held > 0 && (
        <Note>
          {formatCount(held, 'record')} with the subject {held === 1 ? 'is' : 'are'} under a{' '}
          <Link href={privacyPath(tenant, 'holds')} prefetch={false} className="text-link">
            legal hold
          </Link>
          . After its release, request the erasure again.
        </Note>
      )}
      {unreadable > 0 && (
        <Note>
          {formatCount(unreadable, 'record')} could not be decrypted and searched. See the{' '}
          <Link href={alarmsPath(tenant)} prefetch={false} className="text-link">
            alarms
          </Link>
          .
        </Note>
      )}
    </div>
  )
}

function Shape({ status, waiting }: { status: Erasure['status']; waiting: number }) {
  if (status === 'completed') return <StatusShape status="approved" label="Completed" />
  if (status === 'completed_with_omissions')
    return <StatusShape status="omissions" label="Completed, some content remains" />
  return waiting > 0 ? (
    <StatusShape status="waiting" label="Waiting" />
  ) : (
    <StatusShape status="running" label="Searching" />
  )
}

const Note = ({ children }: { children: ReactNode }) => (
  <span className="max-w-[45ch] text-dense text-ink-2">{children}</span>
)
