'use client'

import Link from 'next/link'
import type { ReactNode } from 'react'
import { ResourceLink } from '#components/audit/resource-link.tsx'
import { JsonView } from '#components/json/json-view.tsx'
import { useSession } from '#components/session/session-provider.tsx'
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
      <KeyValue name="When">{isTime(at) ? <Time at={at} show="seconds" /> : <JsonView value={at ?? null} />}</KeyValue>
      <KeyValue name="Who">
        <Actor actor={actor} />
      </KeyValue>
      <KeyValue name="What">
        <code className="font-mono text-dense">
          <ShownText>{text(action)}</ShownText>
        </code>
      </KeyValue>
      <KeyValue name="About">
        <Resource resource={resource} />
      </KeyValue>
      {reason !== undefined && (
        <KeyValue name="Reason">
          <ShownText>{text(reason)}</ShownText>
        </KeyValue>
      )}
      {isJsonObject(details) && Object.keys(details).length > 0 && (
        <KeyValue name="Details">
          <JsonView value={details} />
        </KeyValue>
      )}
      {requestId !== undefined && (
        <KeyValue name="Request">
          <Copyable value={text(requestId)} label="request ID" />
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
  person: 'a person',
  service_account: 'a service account',
  agent: 'an agent',
  system: 'the service itself',
}

function Actor({ actor }: { actor: JsonValue | undefined }) {
  if (!isJsonObject(actor)) return <JsonView value={actor ?? null} />
  const type = text(actor.type)
  return (
    <>
      <ShownText>{text(actor.name)}</ShownText>, {Object.hasOwn(ACTORS, type) ? ACTORS[type] : type}{' '}
      <Copyable value={text(actor.id)} label="actor ID" shorten="middle" />{' '}
      <Records search={{ actorId: text(actor.id) }}>All records by this actor</Records>
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
      <Copyable value={text(resource.id)} label="resource ID" shorten="middle" />{' '}
      <Records search={{ resourceId: text(resource.id) }}>All records about this resource</Records>
    </>
  )
}

/** The bytes that were hashed. */
export function Canonical({ record }: { record: JsonValue }) {
  return (
    <details>
      <summary className="w-fit min-h-6 text-ink-2">Canonical JSON (RFC 8785), as it was hashed</summary>
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
  typeof value === 'string' ? value : value === undefined ? 'not given' : JSON.stringify(value)

const isTime = (value: JsonValue | undefined): value is string =>
  typeof value === 'string' && !Number.isNaN(Date.parse(value))
