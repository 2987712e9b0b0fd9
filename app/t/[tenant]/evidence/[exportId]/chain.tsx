'use client'

import Link from 'next/link'
import type { ReactNode } from 'react'
import { useApi } from '#components/api/api.tsx'
import { useQuery } from '#components/api/query.ts'
import { formatPeriod } from '#components/evidence/period.ts'
import { shownText } from '#components/language/shown-text.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/evidence-export/en.ts'
import { SealShape, type SealState } from '#components/ui/status/seal.tsx'
import { Time } from '#components/ui/text/time.tsx'
import { evidenceExportPath } from '#lib/paths.ts'
import type { ExportJob } from '#lib/schemas/evidence.ts'
import { useManifest } from './use-export.ts'

/** Earlier archives that are shown without being asked for. */
const mostEarlier = 4

/** Each archive names the one before it, so that two of them show whether their logs are one. */
export function Chain({ job, before }: { job: ExportJob; before: string | null }) {
  return (
    <section className="flex flex-col gap-2">
      <h3 className="text-base">{t.archivesFormChain}</h3>
      <ol className="flex flex-col">
        <Item state="sealed">
          <span className="block font-semibold">{formatPeriod(job)}</span>
          <span className="text-dense text-ink-2">{before === null ? t.onlyThisArchive : t.thisOneWhoseLog}</span>
        </Item>
        <Before exportId={before} left={mostEarlier} />
      </ol>
    </section>
  )
}

/** The archive before another one, and those before it. */
function Before({ exportId, left }: { exportId: string | null; left: number }) {
  if (exportId === null)
    return (
      <Item state="unsealed">
        <span className="text-ink-2">{t.noArchiveWasMade}</span>
      </Item>
    )
  return <Earlier exportId={exportId} left={left} />
}

function Earlier({ exportId, left }: { exportId: string; left: number }) {
  const { tenant } = useSession()
  const { rest } = useApi()
  // Without the permission to list exports, those of others are known by their place in the chain only.
  const { data: job } = useQuery({ ...rest.evidence.get.queryOptions({ exportId }), retry: false })
  const before = useManifest(exportId, true).data?.previousExportId
  return (
    <>
      <Item state="sealed">
        <Link href={evidenceExportPath(tenant, exportId)} className="text-link" prefetch={false}>
          {job === undefined ? t.earlierArchive : formatPeriod(job)}
        </Link>
        {job !== undefined && (
          <span className="block text-dense text-ink-2">
            {t.byTime({
              requestedBy: job.requestedBy.displayName,
              shown: shownText,
              at: () => <Time at={job.createdAt} show="clock" />,
              deleted: String(job.archiveGone !== null),
            })}
          </span>
        )}
      </Item>
      {before !== undefined &&
        (left > 1 ? (
          <Before exportId={before} left={left - 1} />
        ) : (
          before !== null && (
            <Item state="sealed">
              <span className="text-ink-2">{t.earlierOnesFollowOn}</span>
            </Item>
          )
        ))}
    </>
  )
}

function Item({ state, children }: { state: SealState; children: ReactNode }) {
  return (
    <li className="group flex gap-2">
      <span className="flex flex-col items-center" aria-hidden="true">
        <SealShape state={state} className="mt-0.5 shrink-0" />
        <span className="w-px grow bg-line group-last:hidden" />
      </span>
      <span className="min-w-0 pb-2">{children}</span>
    </li>
  )
}
