import type { ChildProcess } from 'node:child_process'

/**
 * The response at `url` of a server that is starting as `child`, or undefined while it refuses connections. Throws every other error of the
 * request, and if the process has ended.
 */
export async function answerOf(child: ChildProcess, url: string): Promise<Response | undefined> {
  if (child.exitCode !== null || child.signalCode !== null)
    throw new Error(
      `The process ended with ${child.signalCode ?? `code ${child.exitCode}`} before it answered at ${url}.`,
    )
  try {
    return await fetch(url)
  } catch (error) {
    if (isRefused(error)) return undefined
    throw error
  }
}

const isRefused = (error: unknown): boolean =>
  error instanceof TypeError &&
  error.cause instanceof Error &&
  'code' in error.cause &&
  error.cause.code === 'ECONNREFUSED'
