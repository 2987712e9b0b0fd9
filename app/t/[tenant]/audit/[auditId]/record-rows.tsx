'use client'

import Link from 'next/link'
import type { ReactNode } from 'react'
import { ResourceLink } from '#components/audit/resource-link.tsx'
import { JsonView } from '#components/json/json-view.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/audit/en.ts'
import { Copyable } from '#components/ui/controls/copyable.tsx'
import { KeyValue, KeyValues } from '#components/ui/text/key-values.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import { canonicalJson, JcsError } from '#lib/jcs.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts'
import { auditPath } from '#lib/paths.ts'
import type { AuditProof } from '#lib/schemas/audit.ts'

/** Fields with their own row. All other fields are listed below them. */
const KNOWN = new Set(['auditId', 'at', 'actor', 'action', 'resource', 'reason', 'details', 'requestId'])

/** The fields of the record. */
export function RecordRows({ proof: { record } }: { proof: AuditProof }) {
  if (!isJsonObject(record)) return <JsonView value={record} />
  const { at, actor, action, resource, reason, details, requestId } = record
  const others = Object.entries(record).filter(([name]) => !KNOWN.has(name))
  return (
    <KeyValues>
      <KeyValue name={t.when}>
        {isTime(at) ? <Time at={at} show="seconds" /> : <JsonView value={at ?? null} />}
      </KeyValue>
      <KeyValue name={t.who}>
        <Actor actor={actor} />
      </KeyValue>
      <KeyValue name={t.what}>
        <code className="font-mono text-dense">
          <ShownText>{text(action)}</ShownText>
        </code>
      </KeyValue>
      <KeyValue name={t.about}>
        <Resource resource={resource} />
      </KeyValue>
      {reason !== undefined && (
        <KeyValue name={t.reason}>
          <ShownText>{text(reason)}</ShownText>
        </KeyValue>
      )}
      {isJsonObject(details) && Object.keys(details).length > 0 && (
        <KeyValue name={t.details}>
          <JsonView value={details} />
        </KeyValue>
      )}
      {requestId !== undefined && (
        <KeyValue name={t.request}>
          <Copyable value={text(requestId)} label={t.requestId} />
        </KeyValue>
      )}
      {others.map(([name, value]) => (
        <KeyValue key={name} name={name}>
          <JsonView value={value} />
        </KeyValue>
      ))}
    </KeyValues>
  )
}

const ACTORS: Record<string, string> = {
  person: t.aPerson,
  service_account: t.serviceAccount,
  agent: t.anAgent,
  system: t.serviceItself,
}

function Actor({ actor }: { actor: JsonValue | undefined }) {
  if (!isJsonObject(actor)) return <JsonView value={actor ?? null} />
  const type = text(actor.type)
  return (
    <>
      <ShownText>{text(actor.name)}</ShownText>, {Object.hasOwn(ACTORS, type) ? ACTORS[type] : type}{' '}
      <Copyable value={text(actor.id)} label={t.actorId} shorten="middle" />{' '}
      <Records search={{ actorId: text(actor.id) }}>{t.allRecordsByThis}</Records>
    </>
  )
}

function Records({ search, children }: { search: { actorId: string } | { resourceId: string }; children: ReactNode }) {
  const { tenant } = useSession()
  return (
    <Link href={auditPath(tenant, search)} prefetch={false} className="text-link whitespace-nowrap">
      {children}
    </Link>
  )
}

function Resource({ resource }: { resource: JsonValue | undefined }) {
  if (!isJsonObject(resource)) return <JsonView value={resource ?? null} />
  return (
    <>
      <ResourceLink type={text(resource.type)} id={text(resource.id)} />{' '}
      <Copyable value={text(resource.id)} label={t.resourceId} shorten="middle" />{' '}
      <Records search={{ resourceId: text(resource.id) }}>{t.allRecordsAboutThis}</Records>
    </>
  )
}

/** The bytes that were hashed. */
export function Canonical({ record }: { record: JsonValue }) {
  return (
    <details>
      <summary className="w-fit min-h-6 text-ink-2">{t.canonicalJsonRfc8785}</summary>
      <pre className="wrap-anywhere mt-1 whitespace-pre-wrap border border-line bg-surface p-2 font-mono text-dense">
        <ShownText>{canonicalOf(record)}</ShownText>
      </pre>
    </details>
  )
}

function canonicalOf(record: JsonValue): string {
  try {
    return canonicalJson(record as JsonObject)
  } catch (error) {
    if (error instanceof JcsError) return error.message
    throw error
  }
}

const text = (value: JsonValue | undefined): string =>
  typeof value === 'string' ? value : value === undefined ? t.notGiven : JSON.stringify(value)

const isTime = (value: JsonValue | undefined): value is string =>
  typeof value === 'string' && !Number.isNaN(Date.parse(value))
