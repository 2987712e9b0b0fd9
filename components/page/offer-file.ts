/** Saves content as a file, in the browser's folder of downloads. */
export function offerFile(content: Blob, name: string): void {
  const address = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  // By then, the browser has a reference to the content.
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}
