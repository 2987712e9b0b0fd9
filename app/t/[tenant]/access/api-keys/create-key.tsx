'use client'

import { useState } from 'react'
import { type Expiry, ExpiryField, expiryOf } from '#components/access/expiry-field.tsx'
import { ShownOnce } from '#components/access/shown-once.tsx'
import { useApi } from '#components/api/api.tsx'
import { useAct } from '#components/api/use-act.ts'
import { ActDialog } from '#components/forms/act-dialog.tsx'
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
      title="Create an API key"
      description="The key is shown once, right after it is created. Only its hash is stored."
      label="Create the key"
      busyLabel="Creating the key…"
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
        label="Name"
        hint="Name the program that uses the key, so that others know what stops working when it is revoked."
        value={name}
        onChange={(event) => setName(event.target.value)}
        autoComplete="off"
        readOnly={act.pending}
      />
      <Checkbox
        label={
          <>
            Scope <code className="font-mono text-dense">{mapped}</code>: see decision requests and their decisions
          </>
        }
        checked={reads}
        onChange={setReads}
        locked={act.pending}
      />
      <TextField
        label="Other scopes"
        hint="Separate them with spaces. They are stored with the key but have no effect here."
        value={others}
        onChange={(event) => setOthers(event.target.value)}
        autoComplete="off"
        readOnly={act.pending}
      />
      <ExpiryField value={expiry} onChange={setExpiry} />
      {grantsOf(scopes).length === 0 && (
        <Banner tone="warn">This key does not grant any permission: every request with it is refused.</Banner>
      )}
    </ActDialog>
  )
}

function NewKey({ created, onClose }: { created: Created; onClose: () => void }) {
  return (
    <ShownOnce
      title={`The API key ${created.apiKey.name}`}
      description="The key is shown only this once. Store it where the program reads it."
      noun="API key"
      value={created.key}
      confirm="I stored the key"
      lost="Revoke this key in the list and create another one."
      onClose={onClose}
    >
      <KeyValues>
        <KeyValue name="Scopes">
          <Granted scopes={created.apiKey.permissions} />
        </KeyValue>
        <KeyValue name="Expires">{created.expiresAt === null ? 'Never' : <Time at={created.expiresAt} />}</KeyValue>
        <KeyValue name="Sent as">
          the header <code className="font-mono text-dense">x-svc-api-key</code>
        </KeyValue>
      </KeyValues>
    </ShownOnce>
  )
}

function whyNot(name: string, scopes: string[]): string | undefined {
  if (name.trim() === '') return 'Enter a name.'
  if (name.trim().length > limits.secretName) return `A name can have at most ${limits.secretName} characters.`
  if (scopes.length > maxScopes) return `A key can have at most ${maxScopes} scopes.`
  if (scopes.some((scope) => scope.length > limits.secretName))
    return `A scope can have at most ${limits.secretName} characters.`
}
