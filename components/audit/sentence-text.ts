import * as t from '#components/texts/audit-sentences/en.ts'
import { type SaidRow, saidRow } from '#lib/audit/file.ts'
import { actorName, type NameOf } from '#lib/audit/object-names.ts'
import { actionLabel, attemptOf, auditSentence, type RecordFacts } from '#lib/audit/sentence.ts'

type Values = { action: string; sentence: string; actor: string; about: string }
/** Other languages than English put the names in themselves. */
type Said = (values: Values) => string

/** What a record says, in the language of the page. Files of the log are in English in every language. */
export function sentenceText(facts: RecordFacts): string {
  const { action, isRefused } = attemptOf(facts.type)
  const said = (isRefused ? t.tried : t.said) as Said
  return said({
    action: keyOf(action),
    sentence: auditSentence(facts),
    actor: facts.actor.name,
    about: facts.name === undefined ? '' : t.about({ name: facts.name }),
  })
}

/** A record with its sentence in the language of the page. */
export function rowText(row: Parameters<typeof saidRow>[0], nameOf: NameOf): SaidRow {
  const said = saidRow(row, nameOf)
  const actor = { type: row.actor.type, name: actorName(row, nameOf) }
  return { ...said, sentence: sentenceText({ type: row.type, actor, resource: row.resource, name: said.object }) }
}

/** An action as an option of a filter. */
export function actionText(type: string): string {
  const { action, isRefused } = attemptOf(type)
  const said = (isRefused ? t.tried : t.said) as Said
  const text = said({ action: keyOf(action), sentence: actionLabel(type), actor: '', about: '' }).trim()
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`
}

/** The case of a message can't have a dot. */
const keyOf = (action: string): string => action.replaceAll('.', '_')
