/** Verbs with which titles of tools begin. Other first words may be nouns ("Payment create"), which lack a past tense. */
const regular =
  'activate add amend apply approve archive assign block book call cancel change charge close confirm copy create credit deactivate ' +
  'debit decrease delete deploy disable email enable escalate execute export forward grant import increase invite issue lock merge ' +
  'move notify open order pause post process publish record refund release remove rename replace reply reserve restart restore ' +
  'resume return reverse revoke save schedule ship sign start stop store submit suspend terminate transfer unassign unblock unlock ' +
  'update upload'

const irregular = new Map(
  Object.entries({
    buy: 'bought',
    make: 'made',
    pay: 'paid',
    put: 'put',
    reset: 'reset',
    run: 'ran',
    sell: 'sold',
    send: 'sent',
    set: 'set',
    submit: 'submitted',
    stop: 'stopped',
    transfer: 'transferred',
    ship: 'shipped',
    withdraw: 'withdrew',
    write: 'wrote',
  }),
)

const regulars = new Set(regular.split(' '))

/** "Issue" becomes "Issued"; undefined for a word that is not known as a verb. */
export function pastOf(verb: string): string | undefined {
  const word = verb.toLowerCase()
  const past = irregular.get(word) ?? (regulars.has(word) ? ended(word) : undefined)
  return past === undefined ? undefined : verb.charAt(0) + past.slice(1)
}

function ended(word: string): string {
  if (word.endsWith('e')) return `${word}d`
  return /[^aeiou]y$/.test(word) ? `${word.slice(0, -1)}ied` : `${word}ed`
}

/** What the effects of approvals say about the future, and the same once it has happened. */
const sentences: readonly [RegExp, string][] = [
  [/ is called once, with exactly the arguments below\.$/, ' was called once, with exactly the arguments below.'],
  [/^The agent then continues /, 'The agent then continued '],
  [/^The execution then ends\. This is step /, 'The execution then ended. This was step '],
  [/^The execution continues after /, 'The execution continued after '],
  [/ becomes the first release in /, ' became the first release in '],
  [/^(\S+ \S+) replaces /, '$1 replaced '],
]

/** An effect as the service describes it, in the past tense. Other sentences, such as a tool's description, stay as they are. */
export function pastEffect(effect: string): string {
  const known = sentences.find(([pattern]) => pattern.test(effect))
  return known === undefined ? effect : effect.replace(known[0], known[1])
}

/**
 * Whether the effect of a release says when its policies were bound. Requests of earlier versions do not: they state in the present
 * tense what was so when they were made.
 */
export const saysWhen = (effect: string): boolean => effect.includes('When this was proposed')
