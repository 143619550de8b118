import { defineConfig } from 'vitest/config'

/** What needs kubectl: `npm run test:manifests`. */
export default defineConfig({ test: { include: ['test/deploy/**/*.long.ts'], reporters: ['verbose'] } })
