import { dirname } from 'node:path'

/**
 * Returns the reason why a file cannot be used. It leaves out the temporary file that the system's message
 * names, because an operator does not know that file.
 */
export function whyUnusable(file: string, error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'ENOENT') return `there is no folder ${dirname(file)}`
  return code === undefined ? message : `${message.replace(/,[^,]*$/, '')}: ${file}`
}
