'use client'

import { useParams } from 'next/navigation'
import { useQuery } from '#components/api/query.ts'
import { useChanges } from '#components/api/use-changes.ts'
import { sentenceText } from '#components/audit/sentence-text.ts'
import { useNames } from '#components/audit/use-names.ts'
import { formatNumber } from '#components/language/formats.ts'
import { Page, PageHeader } from '#components/layout/page.tsx'
import { Permitted } from '#components/navigation/permitted.tsx'
import { RequestFailed } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/audit/en.ts'
import { Copyable } from '#components/ui/controls/copyable.tsx'
import { Skeleton } from '#components/ui/feedback/skeleton.tsx'
import { CustodyLine, CustodySection } from '#components/ui/status/custody-line.tsx'
import { Seal, type SealState } from '#components/ui/status/seal.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { actorName, type NameOf, objectsOf } from '#lib/audit/object-names.ts'
import { isJsonObject, type JsonValue } from '#lib/json.ts'
import { auditPath } from '#lib/paths.ts'
import type { AuditProof } from '#lib/schemas/audit.ts'
import type { VerifyOutput } from '#lib/schemas/traces.ts'
import { useTRPC } from '#lib/trpc.ts'
import { Proof } from './proof.tsx'
import { Canonical, RecordRows } from './record-rows.tsx'
import { SealProof } from './seal-proof.tsx'
import { useVerify, Verify } from './verify.tsx'

/** How often an unsealed record is read while the socket is down, in milliseconds. */
const sealMs = 3000

/** One record with its proofs. */
export function AuditRecord() {
  const { auditId } = useParams<{ auditId: string }>()
  return (
    <Permitted permission="audit:read" act={t.seeAuditLog} title={t.auditRecord}>
      <OneRecord key={auditId} auditId={auditId} />
    </Permitted>
  )
}

function OneRecord({ auditId }: { auditId: string }) {
  const { tenant } = useSession()
  const trpc = useTRPC()
  const { data, error, refetch } = useQuery(trpc.audit.get.queryOptions({ auditId }))
  useChanges(data?.seal === 'pending' ? ['seals'] : [], sealMs)
  const verify = useVerify()
  const facts = factsOf(data?.record)
  const nameOf = useNames(facts === undefined ? [] : objectsOf([facts]))
  const crumbs = [{ label: t.audit, href: auditPath(tenant) }]
  const shownId = <Copyable value={auditId} label={t.auditRecordId} shorten="middle" />
  if (data === undefined)
    return (
      <Page>
        <PageHeader title={t.auditRecord} crumbs={crumbs} id={shownId} />
        {error === null ? (
          <Skeleton label={t.loadingRecord} rows={8} />
        ) : (
          <RequestFailed
            error={error}
            what={t.theRecord}
            act={t.seeAuditLog}
            permission="audit:read"
            retry={() => void refetch()}
          />
        )}
      </Page>
    )
  const seal = sealOf(data, verify.output)
  return (
    <Page>
      <PageHeader
        title={<ShownText>{titleOf(facts, nameOf)}</ShownText>}
        crumbs={crumbs}
        id={shownId}
        facts={
          <>
            <Seal state={seal} />
            <span>{t.recordOfUtc({ seq: formatNumber(data.leafIndex + 1), date: data.date })}</span>
          </>
        }
      />
      <CustodyLine>
        <CustodySection title={t.record} seal={seal}>
          <RecordRows proof={data} />
          <Canonical record={data.record} />
        </CustodySection>
        <CustodySection title={t.proof} note={data.seal === 'pending' ? t.notSealedYet : undefined} seal={seal}>
          <Proof proof={data} />
        </CustodySection>
        {/* Without a seal until the verification has run. */}
        <CustodySection title={t.verification} {...(verify.output === undefined ? { onlyOnScreen: true } : { seal })}>
          <Verify verify={verify} proof={data} />
        </CustodySection>
        {data.seal === 'sealed' && (
          <CustodySection title={t.closedDays} seal={data.sealLog === null ? 'unsealed' : seal}>
            <SealProof proof={data} />
          </CustodySection>
        )}
      </CustodyLine>
    </Page>
  )
}

/** The seal is shown as verified only after a check in this session. */
function sealOf({ seal }: AuditProof, answer: VerifyOutput | undefined): SealState {
  switch (answer?.status) {
    case 'verified':
      return 'verified'
    case 'mismatch':
    case 'not_found':
      return 'mismatch'
    case 'pending_seal':
    case 'erased':
    case undefined:
      return seal === 'sealed' ? 'sealed' : 'unsealed'
  }
}

/** The members of a record that its sentence needs; undefined for one that was altered beyond recognition. */
function factsOf(record: JsonValue | undefined) {
  if (!isJsonObject(record) || typeof record.action !== 'string') return undefined
  const { action, actor, resource } = record
  if (!isJsonObject(actor) || !isJsonObject(resource)) return undefined
  const text = (value: JsonValue | undefined) => (typeof value === 'string' ? value : '')
  return {
    type: action,
    actor: { type: text(actor.type), id: text(actor.id), name: text(actor.name) },
    resource: { type: text(resource.type), id: text(resource.id) },
  }
}

function titleOf(facts: ReturnType<typeof factsOf>, nameOf: NameOf): string {
  if (facts === undefined) return t.auditRecord
  const actor = { type: facts.actor.type, name: actorName(facts, nameOf) }
  return sentenceText({ ...facts, actor, name: nameOf(facts.resource) })
}
