import { defineConfig } from 'vitest/config'

/** What takes minutes: `npm run test:crash`. */
export default defineConfig({ test: { include: ['test/crash/**/*.long.ts'], reporters: ['verbose'] } })
