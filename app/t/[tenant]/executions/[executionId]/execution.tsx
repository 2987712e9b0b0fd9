'use client'

import Link from 'next/link'
import { useParams, useSearchParams } from 'next/navigation'
import { EffectTitle } from '#components/executions/effect-title.tsx'
import { ExecutionStatusShape } from '#components/executions/execution-status.tsx'
import { Took } from '#components/executions/took.tsx'
import { shownText } from '#components/language/shown-text.tsx'
import { Page, PageHeader } from '#components/layout/page.tsx'
import { Permitted } from '#components/navigation/permitted.tsx'
import { ErasedNotice } from '#components/page/erased-notice.tsx'
import { RequestFailed } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/execution/en.ts'
import { Copyable } from '#components/ui/controls/copyable.tsx'
import { TabLinks } from '#components/ui/controls/tab-links.tsx'
import { loadedLater } from '#components/ui/feedback/loaded-later.tsx'
import { Skeleton } from '#components/ui/feedback/skeleton.tsx'
import { Time } from '#components/ui/text/time.tsx'
import { agentPath, approvalPath, type ExecutionTab, executionPath, executionsPath } from '#lib/paths.ts'
import type { Execution as ExecutionDetail } from '#lib/schemas/executions.ts'
import { CancelExecution } from './cancel-execution.tsx'
import { Timeline } from './timeline.tsx'
import { useExecution } from './use-execution.ts'

// Loaded when someone opens them.
const waiting = <Skeleton label={t.loadingExecution} rows={8} />
const Evidence = loadedLater(() => import('./evidence.tsx').then((module) => module.Evidence), { waiting })
const ExecutionTrace = loadedLater(() => import('./execution-trace.tsx').then((module) => module.ExecutionTrace), {
  waiting,
})
const Inputs = loadedLater(() => import('./inputs.tsx').then((module) => module.Inputs), { waiting })
const Waits = loadedLater(() => import('./waits.tsx').then((module) => module.Waits), { waiting })

/** One execution: its state, journal, waits, trace and audit records. */
export function Execution() {
  const { executionId } = useParams<{ executionId: string }>()
  return (
    <Permitted permission="execution:read" act={t.seeExecutions} title={t.execution}>
      <OneExecution key={executionId} id={executionId} />
    </Permitted>
  )
}

function OneExecution({ id }: { id: string }) {
  const { tenant } = useSession()
  const tab = tabFrom(useSearchParams().get('tab'))
  const { data: execution, error, refetch } = useExecution(id)
  const crumbs = [{ label: t.executions, href: executionsPath(tenant) }]
  const shownId = <Copyable value={id} label={t.executionId} shorten="middle" />
  if (execution === undefined)
    return (
      <Page wide>
        <PageHeader title={t.execution} crumbs={crumbs} id={shownId} />
        {error === null ? (
          <Skeleton label={t.loadingExecution} rows={10} />
        ) : (
          <RequestFailed
            error={error}
            what={t.theExecution}
            act={t.seeExecutions}
            permission="execution:read"
            retry={() => void refetch()}
          />
        )}
      </Page>
    )
  return (
    <Page wide>
      <PageHeader
        title={<EffectTitle execution={execution} />}
        crumbs={crumbs}
        id={shownId}
        facts={<Facts execution={execution} />}
        action={<CancelExecution execution={execution} />}
      />
      <ErasedNotice erased={execution.erased} />
      <TabLinks
        label={t.viewsOfExecution}
        link={Link}
        tabs={TABS.map(({ name, label }) => ({
          href: executionPath(tenant, id, name === 'timeline' ? {} : { tab: name }),
          label,
          current: name === tab,
        }))}
      />
      <Tab name={tab} execution={execution} />
    </Page>
  )
}

const TABS: { name: ExecutionTab; label: string }[] = [
  { name: 'timeline', label: t.timeline },
  { name: 'inputs', label: t.inputs },
  { name: 'waits', label: t.waits },
  { name: 'trace', label: t.trace },
  { name: 'evidence', label: t.evidence },
]

const tabFrom = (text: string | null): ExecutionTab => TABS.find(({ name }) => name === text)?.name ?? 'timeline'

function Tab({ name, execution }: { name: ExecutionTab; execution: ExecutionDetail }) {
  switch (name) {
    case 'timeline':
      return <Timeline execution={execution} />
    case 'inputs':
      return <Inputs execution={execution} />
    case 'waits':
      return <Waits execution={execution} />
    case 'trace':
      return <ExecutionTrace execution={execution} />
    case 'evidence':
      return <Evidence execution={execution} />
  }
}

function Facts({ execution }: { execution: ExecutionDetail }) {
  const { tenant } = useSession()
  const { agentId, agentDisplayName, agentVersion, environment, startedBy, createdAt, status, decision } = execution
  return (
    <>
      <ExecutionStatusShape status={status} boxed />
      <span>
        {t.agentIn({
          agentDisplayName,
          shown: shownText,
          link: (content) => (
            <Link href={agentPath(tenant, agentId)} prefetch={false} className="text-link font-semibold">
              {content}
            </Link>
          ),
          agentVersion,
          environment,
        })}
      </span>
      <span>
        {t.startedByTime({
          startedBy: startedBy.displayName,
          shown: shownText,
          strong: (content) => <strong className="font-semibold">{content}</strong>,
          at: () => <Time at={createdAt} show="relative" />,
        })}
      </span>
      <span>
        {execution.endedAt === null ? t.runningFor : t.took} <Took execution={execution} />
      </span>
      {decision?.by != null && (
        <span>
          {t.approvedOrRejectedBy({
            status: decision.status,
            by: decision.by.displayName,
            shown: shownText,
            link: (content) => (
              <Link
                href={approvalPath(tenant, decision.approvalId)}
                prefetch={false}
                className="text-link font-semibold"
              >
                {content}
              </Link>
            ),
          })}
        </span>
      )}
    </>
  )
}
