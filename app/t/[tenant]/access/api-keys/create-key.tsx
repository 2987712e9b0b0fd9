'use client'

import { useState } from 'react'
import { type Expiry, ExpiryField, expiryOf } from '#components/access/expiry-field.tsx'
import { ShownOnce } from '#components/access/shown-once.tsx'
import { useApi } from '#components/api/api.tsx'
import { useAct } from '#components/api/use-act.ts'
import { ActDialog } from '#components/forms/act-dialog.tsx'
import * as t from '#components/texts/access-keys/en.ts'
import { Checkbox } from '#components/ui/controls/checkbox.tsx'
import { TextField } from '#components/ui/controls/text-field.tsx'
import { Banner } from '#components/ui/feedback/banner.tsx'
import { KeyValue, KeyValues } from '#components/ui/text/key-values.tsx'
import { Time } from '#components/ui/text/time.tsx'
import { limits } from '#lib/limits.ts'
import { grantsOf } from '#lib/rules/api-key-scopes.ts'
import type { Answers } from '#lib/trpc.ts'
import { Granted } from './granted.tsx'

type Created = Answers['secrets']['createApiKey']

const mapped = 'decisions:read'
const maxScopes = 50

/** Creates a key from a form, and shows it once. */
export function CreateKey({ onClose }: { onClose: () => void }) {
  const { client } = useApi()
  const [created, setCreated] = useState<Created>()
  const [name, setName] = useState('')
  const [reads, setReads] = useState(true)
  const [others, setOthers] = useState('')
  const [expiry, setExpiry] = useState<Expiry>(() => expiryOf('90', Date.now()))
  const act = useAct({ send: client.secrets.createApiKey.mutate, touches: ['secrets'], onDone: setCreated })
  const scopes = [...new Set([...(reads ? [mapped] : []), ...others.split(/[\s,]+/).filter((scope) => scope !== '')])]
  if (created !== undefined) return <NewKey created={created} onClose={onClose} />
  return (
    <ActDialog
      title={t.createApiKey}
      description={t.keyIsShownOnce}
      label={t.createKey}
      busyLabel={t.creatingKey}
      missing={whyNot(name, scopes)}
      act={act}
      onRun={() =>
        act.run({
          name: name.trim(),
          permissions: scopes,
          ...(expiry.at === undefined ? {} : { expiresAt: expiry.at }),
        })
      }
      onClose={onClose}
    >
      <TextField
        label={t.name}
        hint={t.nameProgramThatUses}
        value={name}
        onChange={(event) => setName(event.target.value)}
        autoComplete="off"
        readOnly={act.pending}
      />
      <Checkbox
        label={t.scopeSeeDecisionRequests({
          scope: mapped,
          code: (content) => <code className="font-mono text-dense">{content}</code>,
        })}
        checked={reads}
        onChange={setReads}
        locked={act.pending}
      />
      <TextField
        label={t.otherScopes}
        hint={t.separateThemWithSpaces}
        value={others}
        onChange={(event) => setOthers(event.target.value)}
        autoComplete="off"
        readOnly={act.pending}
      />
      <ExpiryField value={expiry} onChange={setExpiry} />
      {grantsOf(scopes).length === 0 && <Banner tone="warn">{t.thisKeyDoesNot}</Banner>}
    </ActDialog>
  )
}

function NewKey({ created, onClose }: { created: Created; onClose: () => void }) {
  return (
    <ShownOnce
      title={t.theApiKey({ apiKey: created.apiKey.name })}
      description={t.keyIsShownOnly}
      noun={t.apiKeyName}
      value={created.key}
      confirm={t.iStoredKey}
      lost={t.revokeThisKeyIn}
      onClose={onClose}
    >
      <KeyValues>
        <KeyValue name={t.scopes}>
          <Granted scopes={created.apiKey.permissions} />
        </KeyValue>
        <KeyValue name={t.expires}>{created.expiresAt === null ? t.never : <Time at={created.expiresAt} />}</KeyValue>
        <KeyValue name={t.sentAs}>
          {t.headerXSvcApi({ code: (content) => <code className="font-mono text-dense">{content}</code> })}
        </KeyValue>
      </KeyValues>
    </ShownOnce>
  )
}

function whyNot(name: string, scopes: string[]): string | undefined {
  if (name.trim() === '') return t.enterName
  if (name.trim().length > limits.secretName) return t.nameCanHaveAt({ secretName: limits.secretName })
  if (scopes.length > maxScopes) return t.keyCanHaveAt({ maxScopes })
  if (scopes.some((scope) => scope.length > limits.secretName))
    return t.scopeCanHaveAt({ secretName: limits.secretName })
}
