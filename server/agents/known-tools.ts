import { SdkError, SdkErrorCode } from '@modelcontextprotocol/client'
import type { Tenant } from '#server/kernel/auth/principal.ts'
import { runtime } from '#server/kernel/runtime.ts'
import type { Manifest } from './manifest.ts'
import { mayUseServer } from './tool-server.ts'
import { listTools, type Tool } from './tool-servers.ts'

const patienceMs = 15_000
/** A person waits for the check of a manifest as it is typed. */
const registrationPatienceMs = 3_000

/**
 * The tools that the operator's servers currently offer the tenant, by server in order of name. Servers that do not respond in
 * time are left out, so the caller must get their tools elsewhere.
 */
export async function knownTools(tenant: Tenant): Promise<Tool[]> {
  const { mcpServers, log } = runtime()
  const open = Object.keys(mcpServers).filter((server) => mayUseServer(tenant, server))
  const answers = await Promise.allSettled(open.sort().map((server) => inTime(listTools(tenant, { server }))))
  return answers.flatMap((answer, index) => {
    if (answer.status === 'fulfilled') return answer.value
    log.warn({ err: answer.reason, server: open[index] }, 'a tool server did not list its tools')
    return []
  })
}

/**
 * Warnings about the tools of a manifest that its servers do not currently offer the tenant. A server that does not respond in time
 * is not a reason for one: the release, which pins the tools, decides.
 */
export async function unofferedTools(tenant: Tenant, tools: Manifest['tools']): Promise<Manifest['warnings']> {
  const servers = [...new Set(tools.map(({ server }) => server))].filter((server) => mayUseServer(tenant, server))
  const answers = await Promise.allSettled(
    servers.map((server) => inTime(listTools(tenant, { server }), registrationPatienceMs)),
  )
  return tools.flatMap(({ server, name, unoffered }) => {
    const answer = answers[servers.indexOf(server)]
    if (answer === undefined)
      return [{ ...unoffered, message: `The tool server ${server} does not exist or is not available to this tenant.` }]
    return answer.status === 'rejected' || answer.value.some((tool) => tool.name === name) ? [] : [unoffered]
  })
}

async function inTime<T>(work: Promise<T>, waitMs = patienceMs): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error(`No response within ${waitMs} ms.`)), waitMs)
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}

/** Resolves once one of the operator's servers has listed its tools, without a time limit; throws when it does not start. */
export async function toolsOffered(tenant: Tenant, server: string, list = listTools): Promise<void> {
  for (let answered = false; !answered; )
    answered = await list(tenant, { server }).then(
      () => true,
      (error: unknown) => {
        if (!isTimeout(error)) throw error
        return false
      },
    )
}

function isTimeout(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause)
    if (at instanceof SdkError && at.code === SdkErrorCode.RequestTimeout) return true
  return false
}
