/**
 * The built console as the server reads it: an index and one file of bytes. cli/console/ writes both, server/shell.ts serves them.
 * Nothing in here depends on the tool that built the pages.
 */
export type ConsoleBuild = {
  version: typeof CONSOLE_BUILD_VERSION
  /** In which every page exists. */
  languages: string[]
  /** Request headers, in lower case, whose values choose one of a page's answers; see `choiceOf`. */
  chosenBy: string[]
  pages: BuiltPage[]
  /** By language, the document for every address that is not a page. */
  notFound: Record<string, BuiltAnswer>
  /** Files by their exact path, without a query. */
  files: Record<string, BuiltFile>
}

export const CONSOLE_BUILD_VERSION = 2
export const INDEX_FILE = 'console.json'
export const BYTES_FILE = 'console.bin'

/** A run of bytes in the file of bytes. */
export type Span = [offset: number, length: number]

/** Bytes with holes: `parts[0] + value of holes[0] + parts[1] + …`. A hole is a parameter's name, `NONCE` or `CONFIG`. */
export type BuiltTemplate = { parts: Span[]; holes: string[] }

/** Everything that an answer needs except the policy, which the server's settings decide. */
export type BuiltAnswer = { headers: Record<string, string>; body: BuiltTemplate }

export type BuiltPage = {
  /** As in app/: `/t/[tenant]/approvals/[approvalId]`. */
  route: string
  parameters: string[]
  /** By language, and by `choiceOf`. */
  answers: Record<string, Record<string, BuiltAnswer>>
}

export type BuiltFile = {
  headers: Record<string, string>
  /** The file unchanged, and compressed if that makes it smaller. */
  identity: Span
  gzip?: Span
  br?: Span
}

/** The hole for the nonce of an answer. Names of parameters do not contain a colon. */
export const NONCE = ':nonce'
/** The hole for the run-time configuration, as JSON that is safe inside a script element. */
export const CONFIG = ':config'

/** The key of an answer: the values of the headers in `chosenBy`, empty if the request lacks one. */
export function choiceOf(values: readonly (string | undefined)[]): string {
  return values.map((value) => value ?? '').join('\n')
}

/** The choice of a request without any of the headers: a browser that loads the page. */
export function documentChoice(build: { chosenBy: readonly string[] }): string {
  return choiceOf(build.chosenBy.map(() => undefined))
}
