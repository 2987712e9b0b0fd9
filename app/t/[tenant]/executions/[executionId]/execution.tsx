'use client'

import Link from 'next/link'
import { useParams, useSearchParams } from 'next/navigation'
import { EffectTitle } from '#components/executions/effect-title.tsx'
import { ExecutionStatusShape } from '#components/executions/execution-status.tsx'
import { Took } from '#components/executions/took.tsx'
import { Page, PageHeader } from '#components/layout/page.tsx'
import { Permitted } from '#components/navigation/permitted.tsx'
import { ErasedNotice } from '#components/page/erased-notice.tsx'
import { RequestFailed } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import { Copyable } from '#components/ui/controls/copyable.tsx'
import { TabLinks } from '#components/ui/controls/tab-links.tsx'
import { Skeleton } from '#components/ui/feedback/skeleton.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import { agentPath, approvalPath, type ExecutionTab, executionPath, executionsPath } from '#lib/paths.ts'
import type { Execution as ExecutionDetail } from '#lib/schemas/executions.ts'
import { CancelExecution } from './cancel-execution.tsx'
import { Evidence } from './evidence.tsx'
import { ExecutionTrace } from './execution-trace.tsx'
import { Inputs } from './inputs.tsx'
import { Timeline } from './timeline.tsx'
import { useExecution } from './use-execution.ts'
import { Waits } from './waits.tsx'

/** One execution: its state, journal, waits, trace and audit records. */
export function Execution() {
  const { executionId } = useParams<{ executionId: string }>()
  return (
    <Permitted permission="execution:read" act="see executions" title="Execution">
      <OneExecution key={executionId} id={executionId} />
    </Permitted>
  )
}

function OneExecution({ id }: { id: string }) {
  const { tenant } = useSession()
  const tab = tabFrom(useSearchParams().get('tab'))
  const { data: execution, error, refetch } = useExecution(id)
  const crumbs = [{ label: 'Executions', href: executionsPath(tenant) }]
  const shownId = <Copyable value={id} label="execution ID" shorten="middle" />
  if (execution === undefined)
    return (
      <Page wide>
        <PageHeader title="Execution" crumbs={crumbs} id={shownId} />
        {error === null ? (
          <Skeleton label="Loading the execution…" rows={10} />
        ) : (
          <RequestFailed
            error={error}
            what="The execution"
            act="see executions"
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
        label="Views of the execution"
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
  { name: 'timeline', label: 'Timeline' },
  { name: 'inputs', label: 'Inputs' },
  { name: 'waits', label: 'Waits' },
  { name: 'trace', label: 'Trace' },
  { name: 'evidence', label: 'Evidence' },
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
        Agent{' '}
        <Link href={agentPath(tenant, agentId)} prefetch={false} className="text-link font-semibold">
          <ShownText>{agentDisplayName}</ShownText>
        </Link>{' '}
        <ShownText>{agentVersion}</ShownText> in {environment}
      </span>
      <span>
        Started by{' '}
        <strong className="font-semibold">
          <ShownText>{startedBy.displayName}</ShownText>
        </strong>{' '}
        <Time at={createdAt} show="relative" />
      </span>
      <span>
        {execution.endedAt === null ? 'Running for' : 'Took'} <Took execution={execution} />
      </span>
      {decision?.by != null && (
        <span>
          {decision.status === 'approved' ? 'Approved' : 'Rejected'} by{' '}
          <Link href={approvalPath(tenant, decision.approvalId)} prefetch={false} className="text-link font-semibold">
            <ShownText>{decision.by.displayName}</ShownText>
          </Link>
        </span>
      )}
    </>
  )
}
