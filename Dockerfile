# One image for all four processes; docker-compose.yml says which one a container runs.
FROM node:24-slim
WORKDIR /app
ENV NODE_ENV=production
COPY package.json package-lock.json ./
# Production dependencies only: the local stack's engines are devDependencies.
RUN npm ci --omit=dev
COPY . .
USER node
EXPOSE 8080
CMD ["node", "ingest/main.ts"]
