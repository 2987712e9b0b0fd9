// Rival of case 4: OpenTelemetry's collector, of the parts that the case needs: OTLP over HTTP in, a file out. The distribution with all parts
// would take far longer to compile.
package main

import (
	"log"

	"github.com/open-telemetry/opentelemetry-collector-contrib/exporter/fileexporter"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/provider/fileprovider"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/otelcol"
	"go.opentelemetry.io/collector/receiver"
	"go.opentelemetry.io/collector/receiver/otlpreceiver"
	"go.opentelemetry.io/collector/service/telemetry/otelconftelemetry"
)

func factories() (otelcol.Factories, error) {
	receivers, err := otelcol.MakeFactoryMap[receiver.Factory](otlpreceiver.NewFactory())
	if err != nil {
		return otelcol.Factories{}, err
	}
	exporters, err := otelcol.MakeFactoryMap[exporter.Factory](fileexporter.NewFactory())
	return otelcol.Factories{Receivers: receivers, Exporters: exporters, Telemetry: otelconftelemetry.NewFactory()}, err
}

func main() {
	settings := confmap.ResolverSettings{
		ProviderFactories: []confmap.ProviderFactory{fileprovider.NewFactory()},
		DefaultScheme:     "file",
	}
	command := otelcol.NewCommand(otelcol.CollectorSettings{
		BuildInfo:              component.BuildInfo{Command: "collector"},
		Factories:              factories,
		ConfigProviderSettings: otelcol.ConfigProviderSettings{ResolverSettings: settings},
	})
	if err := command.Execute(); err != nil {
		log.Fatal(err)
	}
}
