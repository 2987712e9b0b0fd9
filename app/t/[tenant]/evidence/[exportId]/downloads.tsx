'use client'

import Link from 'next/link'
import { useChanges } from '#components/api/use-changes.ts'
import { usePages } from '#components/api/use-pages.ts'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/evidence-export/en.ts'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import { auditPath, auditRecordPath } from '#lib/paths.ts'
import { useTRPC } from '#lib/trpc.ts'

const action = 'evidence_export.downloaded'
const shown = 5

/** Who has downloaded the archive, and when, as the audit log has it. */
export function Downloads({ exportId }: { exportId: string }) {
  const { tenant } = useSession()
  const trpc = useTRPC()
  useChanges(['audit'], 10_000)
  const { items, hasMore } = usePages(trpc.audit.list, { resourceId: exportId, action })
  if (items === undefined) return '…'
  if (items.length === 0) return t.none
  return (
    <>
      <ul aria-label={t.downloads}>
        {items.slice(0, shown).map(({ auditId, actor, at }) => (
          <li key={auditId}>
            <ShownText>{actor.name}</ShownText>,{' '}
            <Link href={auditRecordPath(tenant, auditId)} className="text-link" prefetch={false}>
              <Time at={at} show="clock" />
            </Link>
          </li>
        ))}
      </ul>
      {(hasMore || items.length > shown) && (
        <Link href={auditPath(tenant, { resourceId: exportId, action })} className="text-link" prefetch={false}>
          {t.allDownloads}
        </Link>
      )}
    </>
  )
}
