const segment = /^[A-Za-z0-9_][A-Za-z0-9._@+-]*$/
const maxPathLength = 200

/**
 * Why `path` may not name a payload file, or undefined when it may. What is left is spelled the same way in the ZIP, in
 * BagIt's manifests, for sha256sum and on every file system: no escapes, no "..", nothing that a shell would read.
 */
export function whyNotPayloadPath(path: string): string | undefined {
  const [top, ...rest] = path.split('/')
  if (top !== 'data' || rest.length === 0) return 'it is not below data/'
  if (path.length > maxPathLength) return `it is longer than ${maxPathLength} characters`
  if (!rest.every((name) => segment.test(name) && !name.endsWith('.'))) {
    return 'its names must be of letters, digits and ._@+-, and begin with a letter, digit or _ and not end with a dot'
  }
}
