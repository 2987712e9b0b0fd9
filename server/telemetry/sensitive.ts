import type { JsonValue } from '#lib/json.ts'
import type { KeyValue } from './otlp.ts'

// Finds attributes that are sensitive by themselves. In doubt, an attribute is sensitive: a masked value can be shown with a
// grant, but a shown value can't be withdrawn.

/** A text that may contain more than a name. */
const longText = 256

const byKey: readonly [RegExp, string][] = [
  [
    /(^|\.)tool(\.|_)?call[._]?(arguments|args)$|^ai\.toolCall\.(args|input)$|^input\.(value|parameters)$|^tool\.parameters$/,
    'tool.arguments',
  ],
  [/(^|\.)tool(\.|_)?call[._]?results?$|^ai\.toolCall\.(result|output)$|^output\.value$/, 'tool.result'],
  [
    /(^|\.)(input|output)[._]messages?(\.|$)|system_instructions?$|^gen_ai\.(prompt|completion|content)(\.|$)|^traceloop\.entity\.(input|output)$/,
    'content',
  ],
  [
    /^llm\.(prompts|completions|prompt_template|invocation_parameters|input_messages|output_messages|function_call)/,
    'content',
  ],
  [
    /^ai\.(prompt|response)\.(?!model|id$|finishReason|timestamp|msTo|avg)|^ai\.(prompt|values?|schema|embeddings?|settings\.context)(\.|$)/,
    'content',
  ],
  [
    /^(retrieval\.documents|reranker\.(input|output)_documents|embedding\.(embeddings|text)|gen_ai\.(retrieval\.|memory\.|tool\.definitions|tool\.description|agent\.description)|message\.content|tool_call\.function\.arguments|document\.content|event\.body|body$)/,
    'content',
  ],
  [/^exception\.(message|stacktrace)$|^error\.(message|stack)$|^otel\.status_description$/, 'error'],
  [
    /^(url\.(full|query|path)|http\.(url|target|request\.body|response\.body)|db\.(statement|query\.text|query\.parameter.*)|messaging\.message\.body|rpc\.message.*|http\.(request|response)\.header\..*)$/,
    'request',
  ],
  [/^w3c\.tracestate$/, 'text'],
  // An application's names for its users.
  [/^traceloop\.association\.properties\./, 'identity'],
  [/^(enduser|user|client\.address|net\.peer\.ip|http\.client_ip|source\.address)(\.|$)/, 'identity'],
  [
    /(^|[._-])(e-?mail|phone|mobile|iban|bic|ssn|passport|birth(day|date|_date)?|dob|(first|last|full|sur|family|given)_?name|address|street|postal_?code|zip_?code|customer(_?name)?|user_?(id|name)|patient(_?id)?|credit_?card|card_?number)([._-]|$)/i,
    'identity',
  ],
  [
    /(^|[._-])(password|passwd|secret|api_?key|access_?key|authorization|cookie|set-cookie|private_?key|credentials?|session_?token|(access|refresh|id|bearer)_?token)([._-]|$)/i,
    'secret',
  ],
]

/** Personal data that is recognised by its form. */
const byForm: readonly [RegExp, string][] = [
  [/[^\s@"'<>,;:()[\]\\]+@[^\s@"'<>,;:()[\]\\]+\.[^\s@"'<>,;:()[\]\\.]{2,}/, 'pii.email'],
  [/\b[A-Z]{2}\d{2}[ ]?(?:[A-Z0-9]{4}[ ]?){2,7}[A-Z0-9]{1,4}\b/, 'pii.iban'],
  [/(^|[^\w.-])\+\d[\d ()/-]{7,}\d($|[^\w.-])/, 'pii.phone'],
  [/\b(?:Bearer|Basic) [A-Za-z0-9._~+/-]{16,}|\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}/, 'secret'],
]

/** Caches the classes of keys. The same few keys occur in all spans. */
const known = new Map<string, string | undefined>()
const maxKnown = 5000

function classOfKey(key: string): string | undefined {
  if (known.has(key)) return known.get(key)
  const found = key.length > longText ? 'text' : byKey.find(([pattern]) => pattern.test(key))?.[1]
  if (known.size < maxKnown) known.set(key, found)
  return found
}

/** Returns the class of an attribute in a manifest's data.sensitive. */
export type ClassDeclared = (pair: KeyValue) => string | undefined

/** Returns the class of a sensitive attribute, or undefined if it may be shown. */
export function sensitiveClass(pair: KeyValue, declared?: ClassDeclared): string | undefined {
  const { key, value } = pair
  if (value === null) return undefined
  const named = declared?.(pair)
  if (named !== undefined || typeof value === 'boolean') return named
  const byName = classOfKey(key)
  if (typeof value === 'number') return byName === 'identity' ? byName : undefined
  return byName ?? classOfValue(value)
}

function classOfValue(value: JsonValue): string | undefined {
  if (typeof value === 'string') return value.length > longText ? 'text' : classOfText(value)
  const text = JSON.stringify(value)
  return text.length > longText ? 'text' : classOfText(text)
}

/** Returns the class of personal data in `text`. */
export function classOfText(text: string): string | undefined {
  // Each form requires one of these characters, and most texts contain none of them.
  if (!/[@+]|[A-Z]{2}\d{2}|Bearer|Basic|eyJ/.test(text)) return undefined
  return byForm.find(([pattern]) => pattern.test(text))?.[1]
}
